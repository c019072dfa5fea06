/** "What if this rule were missing?": one scenario run twice, as it is and with rules switched off. */
import { DrillError } from '../core/errors.ts';
import type { Scenario } from '../drill/model.ts';
import { getLab } from '../labs/registry.ts';
import { getRun } from './get-run.ts';
import type { RunView } from './model.ts';
import { findScenario } from './own-scenarios.ts';
import { runToEnd } from './run-to-end.ts';
import { checkSafeguards, startRun } from './start-run.ts';

export interface WithAndWithout {
  sound: RunView;
  weak: RunView;
  /** Invariants that came out otherwise with the rules missing. */
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

/** The answer "no invariant will break". */
export const NOTHING_BREAKS = 'none';

function checkSaid(scenario: Scenario, said: string): void {
  const invariants = getLab(scenario.lab).invariants.map(({ id }) => id);
  if (said === NOTHING_BREAKS || invariants.includes(said)) return;
  throw new DrillError('usage', 'What was expected to break is no invariant of this lab.');
}

/**
 * Runs a scenario to its end twice.
 *
 * @param without rules to switch off, at least one
 * @param said the invariant expected to break, or `none`
 * @throws DrillError `not-found` for an unknown scenario, `usage` for an unknown rule or none, or an unknown invariant
 */
export async function runWithout(
  scenario: string,
  without: readonly string[],
  said: string,
): Promise<{ sound: string; weak: string }> {
  const found = findScenario(scenario);
  if (without.length === 0) throw new DrillError('usage', 'Choose at least one rule to switch off.');
  checkSafeguards(getLab(found.lab), without);
  checkSaid(found, said);
  const sound = await finished(scenario, []);
  return { sound, weak: await finished(scenario, without) };
}

/** Why two runs are not a scenario as it is and the same one with rules missing; null where they are. */
function noPair(scenario: Scenario, sound: RunView, weak: RunView): string | null {
  if ([sound, weak].some((run) => run.scenario?.id !== scenario.id))
    return 'These two are not both runs of this scenario.';
  const missing = (run: RunView) => run.without.filter((name) => !scenario.without?.includes(name));
  if (missing(sound).length > 0) return 'The first of these runs has a rule missing; it is to have them all.';
  if (missing(weak).length === 0) return 'The second of these runs has no rule missing.';
  // The weak one may have ended early: a step that the weakened lab cannot be asked for is an answer too.
  if (sound.next !== null || weak.steps.length === 0) return 'These runs have not been run to their end.';
  return null;
}

const resultOf = (run: RunView, id: string) => run.invariants.find((one) => one.id === id)?.result;

/**
 * Sets two such runs side by side.
 *
 * @param said what was expected to break, as `runWithout` takes it
 * @throws DrillError `not-found` where one has been deleted, `usage` where the two are no such pair
 */
export async function withAndWithout(
  scenario: string,
  runs: { sound: string; weak: string },
  said: string,
): Promise<WithAndWithout> {
  const found = findScenario(scenario);
  checkSaid(found, said);
  const [sound, weak] = [await getRun(runs.sound), await getRun(runs.weak)];
  const why = noPair(found, sound, weak);
  if (why) throw new DrillError('usage', why);
  const broke = weak.invariants
    .filter(({ id, result }) => result === 'violated' && resultOf(sound, id) !== 'violated')
    .map(({ id }) => id);
  return { sound, weak, broke };
}
