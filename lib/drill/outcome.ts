/** What a run came to: how an operator reads it, and whether the outcome that a crash left open is known. */
import type { Decision } from '../evidence/model.ts';
import type { Assessment, Lab } from '../labs/contract.ts';
import type { ExecutorEnd, OutcomeChange, StepRecord } from './model.ts';
import { intentsOf } from './retry.ts';

/** How an operator reads the last step that left evidence; null before there is any. */
export function assessmentOf(records: readonly StepRecord[]): Assessment | null {
  return records.findLast((record) => record.assessment !== null)?.assessment ?? null;
}

/** The last decision of a run that asked for something: after a reconciliation nothing is left to decide. */
export function decisionOf(records: readonly StepRecord[]): Decision | null {
  const seen = records.flatMap((record) => (record.assessment ? [record.assessment.decision] : []));
  return seen.findLast((decision) => decision !== 'none') ?? seen.at(-1) ?? null;
}

/** The step whose outcome is open after these. */
export function openOutcome(records: readonly StepRecord[]): StepRecord | null {
  const last = records.findLast((record) => record.outcome !== null);
  return last?.outcome?.kind === 'opened' ? last : null;
}

const isHeld = (end: ExecutorEnd): boolean => end.held !== null && end.code === null && end.signal === null;

/** The effect that a step's replies state; where they state none, what its evidence proves with nothing left to do. */
function stated(record: StepRecord, acts: boolean): 'confirmed' | 'absent' | undefined {
  for (const { reply } of record.executors) {
    if (reply?.effect === 'confirmed' || reply?.effect === 'absent') return reply.effect;
  }
  if (!acts || record.executors.some(({ reply }) => !reply || reply.effect !== undefined)) return undefined;
  const { effect, decision } = record.assessment ?? { effect: 'unknown', decision: 'investigate' };
  return decision === 'none' && effect !== 'unknown' ? effect : undefined;
}

/** A reply settles an outcome where it is true; a false one, or one that nobody can check, is a claim. */
function isKnown(lab: Pick<Lab, 'invariants'>, record: StepRecord): boolean {
  return lab.invariants
    .filter((invariant) => invariant.judgesReplies)
    .every(({ id }) => (record.invariants.find((one) => one.id === id)?.result ?? 'holds') === 'holds');
}

/** Another operation's outcome settles nothing; a step that names none is about what the lab takes by default. */
function isAbout(lab: Pick<Lab, 'intentArgs'>, record: StepRecord, opened: StepRecord): boolean {
  const [names, asked] = [[...intentsOf(lab, record)], intentsOf(lab, opened)];
  return names.length === 0 || asked.size === 0 || names.some((name) => asked.has(name));
}

/**
 * What a step changed about an unknown outcome: a caller without an answer opens one, and it stays open until a later
 * step establishes what happened.
 *
 * @param record with its invariants and its assessment
 * @returns null where it changed nothing
 */
export function outcomeOf(
  lab: Pick<Lab, 'commands' | 'invariants' | 'intentArgs'>,
  record: StepRecord,
  history: readonly StepRecord[],
): OutcomeChange | null {
  const kind = lab.commands.find((command) => command.name === record.command)?.kind;
  const acts = kind === 'act' || kind === 'recover';
  const died = record.executors.some(
    (end) => end.reply === null && !isHeld(end) && !end.notStarted && !end.endedBefore,
  );
  const effects = record.executors.map((end) => end.reply?.effect);
  const unanswered = effects.includes('unknown') || (died && (acts || record.spec.release !== undefined));
  const opened = openOutcome(history);
  if (unanswered) return opened ? null : { kind: 'opened' };
  const effect = stated(record, acts);
  if (!opened || !effect || !isAbout(lab, record, opened)) return null;
  const by = kind === 'recover' ? null : record.command;
  return { kind: 'closed', opened: opened.label, effect, known: isKnown(lab, record), by };
}
