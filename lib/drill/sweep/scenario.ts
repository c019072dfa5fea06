/** A cell is a scenario: it opens as a run, exports as a file, and replays to equal evidence. */
import { digest } from '../../core/canonical.ts';
import type { Lab, Procedure } from '../../labs/contract.ts';
import type { Check, Expect, Scenario, StepRecord, StepSpec } from '../model.ts';
import type { CellResult, PlacedFault } from './model.ts';

/** How the executor of a step ended, as an expectation. */
function ending(record: StepRecord): Expect | null {
  if (record.spec.race) return null;
  const end = record.executors[0];
  if (end?.signal) return { signal: end.signal };
  return end && end.code !== null ? { exit: end.code } : null;
}

/** The step with what was seen of it as its expectation. */
export function withSeen(record: StepRecord): StepSpec {
  const expect = ending(record);
  return expect ? { ...record.spec, expect } : record.spec;
}

const WORDS = { exit: 'exits', kill: 'is killed', abort: 'aborts' } as const;

function faultWords(fault: PlacedFault): string {
  const who = fault.role === 'executor' ? 'the executor' : `the ${fault.role}`;
  const hit = fault.hit > 1 ? `, hit ${fault.hit},` : '';
  return `in step ${fault.step} ${who} ${WORDS[fault.action]} at ${fault.at}${hit}`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/**
 * The cell as a scenario.
 *
 * @param cell a cell that was run: its steps are replayed as they were asked for
 */
export function cellScenario(
  lab: Lab,
  procedure: Procedure,
  cell: Pick<CellResult, 'key' | 'faults' | 'steps' | 'violated'> &
    Partial<Pick<CellResult, 'effects' | 'foreign' | 'effect'>>,
  without: readonly string[] = [],
): Scenario {
  const title = procedure.title;
  const faults = cell.faults.map(faultWords);
  const where = cell.faults.map((fault) => `${fault.at} (${fault.action})`).join(', then ') || 'no fault';
  // Where the panels do not decide, a correct operator stops and the matter stays open, for a person.
  const checks: Check[] = [{ at: 'end', settled: cell.effect !== 'unknown' }];
  if (cell.effects !== undefined) {
    checks.push({
      at: 'end',
      changes: cell.effects + (cell.foreign ?? 0),
      says: 'Changes at the target, as the ground truth counts them.',
    });
  }
  return {
    id: `${lab.id}/cell-${procedure.id}-${digest(cell.key).slice(0, 10)}`,
    lab: lab.id,
    text: {
      title: `${title}: ${where}`.slice(0, 120),
      question: 'Does what a correct operator does next lead to the end?',
      story:
        `A cell of the crash matrix. ${sentence(faults.join('; then ') || 'nothing fails')} The steps after it are those that the evidence asks for.`.slice(
          0,
          700,
        ),
      lesson:
        'The same rules hold wherever the process dies: each step is decided from the evidence that the one before left.',
      understood: 'Where a process dies decides what survives, and what survives decides what is done next.',
    },
    ...(without.length > 0 ? { without: [...without] } : {}),
    steps: cell.steps,
    checks,
    ...(cell.violated.length > 0 ? { violates: cell.violated } : {}),
  };
}
