/** The map of a scenario before it is run: the commits of its crashed command, and where it is to be stopped. */

import { armedFaults } from '#lib/drill/control.ts';
import type { Scenario, StepSpec } from '#lib/drill/model.ts';
import type { CommitSpec } from '#lib/labs/contract.ts';
import { type MapLab, neverCommitted } from './build.ts';
import type { CommitMapLayout, Death, Dot } from './model.ts';

export interface PreviewWords {
  process: string;
  stopped(at: string): string;
  held(at: string): string;
  raced(executors: number, at: string): string;
  commit(label: string, store: string): string;
  never(label: string, store: string): string;
}

/** Room for the words beside a commit, and at least this much. */
const STEP = 100;
const LETTER = 6.7;
const NARROWEST = 380;

interface Stop {
  step: StepSpec;
  at: string;
  title: string;
  died: boolean;
}

/** The first place at which the scenario stops something; null where nothing is stopped. */
function stopOf(scenario: Scenario, words: PreviewWords): Stop | null {
  for (const step of scenario.steps) {
    const fault = armedFaults(step)[0];
    if (step.race && !fault) {
      const title = words.raced(step.race.executors, step.race.at);
      return { step, at: step.race.at, title, died: false };
    }
    if (!fault) continue;
    // What a lab's own child commits depends on how its parent calls it: nothing to be drawn beforehand.
    if (fault.role !== 'executor') return null;
    const died = fault.action !== 'hold';
    return { step, at: fault.at, title: died ? words.stopped(fault.at) : words.held(fault.at), died };
  }
  return null;
}

/** Commits of a command in the order of its boundaries. */
function commitsOf(lab: MapLab, command: string, without: readonly string[]): CommitSpec[] {
  const names = lab.boundaries
    .filter((one) => one.side === 'before' && one.commit)
    .filter((one) => !one.onlyWithout || without.includes(one.onlyWithout))
    .map((one) => one.commit as string);
  const found = [...new Set(names)].map((name) => lab.commits.find((one) => one.name === name));
  return found.filter((spec) => spec !== undefined).filter((spec) => spec.commands?.includes(command));
}

/** null where the scenario stops nothing, or its command makes no commit that the manifest knows of. */
export function previewMap(
  lab: MapLab,
  scenario: Scenario,
  words: PreviewWords,
  locale: string,
): CommitMapLayout | null {
  const stop = stopOf(scenario, words);
  if (!stop?.step.command) return null;
  const commits = commitsOf(lab, stop.step.command, [
    ...(scenario.without ?? []),
    ...(stop.step.without ?? []),
  ]);
  if (commits.length === 0) return null;
  const missing = new Set(neverCommitted(lab, stop.step.command, stop.at));
  const places = new Map<string, number>();
  let x = 50;
  let end = 60;
  for (const spec of commits) {
    if (missing.has(spec.name) && x < end + 40) x = end + 40;
    places.set(spec.name, x);
    x += Math.max(STEP, spec.label.length * LETTER + 30);
    if (!missing.has(spec.name)) end = x - 14;
  }
  const place = (spec: CommitSpec) => places.get(spec.name) ?? 0;
  const dots = commits.flatMap((spec): Dot[] => {
    const label = spec.label;
    const committed = !missing.has(spec.name);
    const spoken = committed ? words.commit(label, spec.store) : words.never(label, spec.store);
    return spec.lanes.map((id, index) => {
      const lane = lab.lanes.findIndex((one) => one.id === id);
      const panel = lab.lanes[lane]?.panel ?? 'events';
      return { lane, x: place(spec), panel, label: index === 0 ? label : null, committed, row: 0, spoken };
    });
  });
  const bar = {
    row: 0,
    from: 8,
    to: end,
    label: stop.step.command,
    detail: stop.died ? '' : stop.title,
    end: stop.died ? ('crashed' as const) : ('held' as const),
    spoken: `${stop.step.command}: ${stop.title}`,
  };
  const deaths: Death[] = stop.died
    ? [{ row: 0, x: end + 6, title: stop.title, detail: '', spoken: `${stop.step.command}: ${stop.title}` }]
    : [];
  const used = new Set(dots.map((dot) => dot.lane));
  const kept = lab.lanes.map((_, lane) => lane).filter((lane) => used.has(lane));
  return {
    width: Math.max(
      NARROWEST,
      end + 40 + stop.title.length * 7,
      ...dots.map((dot) => dot.x + (dot.label?.length ?? 0) * 7 + 20),
    ),
    processRows: [words.process],
    lanes: kept.map((lane) => {
      const spec = lab.lanes[lane];
      return { title: spec ? spec.title : '', panel: spec?.panel ?? 'events' };
    }),
    bands: [],
    bars: [bar],
    dots: dots.map((dot) => ({ ...dot, lane: kept.indexOf(dot.lane) })),
    deaths,
    unknown: [],
  };
}
