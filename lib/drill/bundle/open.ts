/** From the facts of a journal to what follows from them. */
import type { Lab } from '../../labs/contract.ts';
import { judgeSteps } from '../checks.ts';
import type { Scenario, StepRecord } from '../model.ts';
import { assessmentOf, decisionOf } from '../outcome.ts';
import { select } from '../select.ts';
import { judge } from '../verdict.ts';
import type { Journal, JournalFile } from './model.ts';

/**
 * Judges what a journal holds.
 *
 * @throws whatever a lab throws that can make nothing of the evidence
 */
export function openJournal(lab: Lab, scenario: Scenario, file: JournalFile): Journal {
  const records = judgeSteps(
    lab,
    file.steps.map(({ record }) => record),
  );
  const steps = file.steps.map(({ prediction }, index) => {
    const record = records[index] as StepRecord;
    const question = record.spec.predict;
    if (!question || !prediction) return { record, prediction: null };
    const was = select(question.answer, record) ?? null;
    return { record, prediction: { question, said: prediction.said, was } };
  });
  return {
    run: file.run,
    ...judge(lab, scenario, records, true),
    effect: assessmentOf(records)?.effect ?? null,
    decision: decisionOf(records),
    steps,
  };
}
