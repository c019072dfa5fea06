/** "What if this rule were missing?": one scenario run twice, as it is and with rules switched off. */
import { DrillError } from '../core/errors.ts';
import { getLab } from '../labs/registry.ts';
import { getRun } from './get-run.ts';
import type { RunView } from './model.ts';
import { findScenario } from './own-scenarios.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

export interface WithAndWithout {
  sound: RunView;
  weak: RunView;
  /** Statements that came out otherwise with the rules missing. */
  broke: string[];
}

async function finished(scenario: string, without: readonly string[]): Promise<string> {
  const { run } = await startRun({ scenario, without });
  try {
    await runToEnd({ run, seq: 1 });
  } catch (error) {
    // A step that the weakened lab cannot be asked for ends the run there, and that is an answer too.
    if (!(error instanceof DrillError)) throw error;
  }
  return run;
}

/**
 * Runs a scenario to its end twice.
 *
 * @param without rules to switch off, at least one
 * @throws DrillError `not-found` for an unknown scenario, `usage` for an unknown rule or none
 */
export async function runWithout(
  scenario: string,
  without: readonly string[],
): Promise<{ sound: string; weak: string }> {
  const found = findScenario(scenario);
  if (without.length === 0) throw new DrillError('usage', 'Choose at least one rule to switch off.');
  const known = getLab(found.lab).mechanisms.map(({ name }) => name);
  const stranger = without.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new DrillError('usage', `There is no rule "${stranger}".`);
  const sound = await finished(scenario, []);
  return { sound, weak: await finished(scenario, without) };
}

const resultOf = (run: RunView, id: string) => run.statements.find((one) => one.id === id)?.result;

/** Sets two such runs side by side. @throws DrillError `not-found` where one has been deleted */
export async function withAndWithout(sound: string, weak: string): Promise<WithAndWithout> {
  const [a, b] = [await getRun(sound), await getRun(weak)];
  if (a.lab !== b.lab) throw new DrillError('usage', 'These two runs are not of one lab.');
  const broke = b.statements
    .filter(({ id, result }) => result === 'violated' && resultOf(a, id) !== 'violated')
    .map(({ id }) => id);
  return { sound: a, weak: b, broke };
}
