import { cpSync, existsSync } from 'node:fs';
import { DrillError } from '../core/errors.ts';
import { databaseDir, rawDir } from '../drill/engine.ts';
import { heldAfter } from '../drill/holding.ts';
import type { StepRecord } from '../drill/model.ts';
import { retryFresh, retrySame } from '../drill/retry.ts';
import { copyRaw } from '../evidence/files.ts';
import type { Lab } from '../labs/contract.ts';
import { addStep, requireRoom } from './add-step.ts';
import { type LoadedRun, loadRun } from './load-run.ts';
import { placeRun } from './place-run.ts';
import { newRunId, runDirectory } from './run-directory.ts';
import { checkSafeguards } from './start-run.ts';

/** What is done in the branch at once: nothing, the same again, or the same under a key of its own. */
export type Retry = 'none' | 'same' | 'fresh';

export interface BranchRun {
  run: string;
  /** The step after which the branch begins. */
  label: string;
  retry?: Retry;
  /** Safeguards to switch off in the branch, besides those of its origin. */
  without?: readonly string[];
}

export interface Branched {
  run: string;
  /** Labels of the steps that were run in the branch. */
  ran: string[];
}

/** A step that a branch can begin after, and how its submission can be retried there. */
export interface BranchPoint {
  label: string;
  same: boolean;
  fresh: boolean;
}

/** Where a run can be branched, in its order. After a step that holds an executor it cannot. */
export function branchPoints(lab: Lab, records: readonly StepRecord[]): BranchPoint[] {
  return records.flatMap(({ label }, index) => {
    const until = records.slice(0, index + 1);
    if (heldAfter(until).length > 0) return [];
    const [same, fresh] = [retrySame(lab, until, records), retryFresh(lab, until, records)];
    return [{ label, same: same.length > 0, fresh: fresh.length > 0 }];
  });
}

const BRANCH = /^Branch after [^:]+: /;

function positionOf(run: LoadedRun, label: string): number {
  const position = run.records.findIndex((record) => record.label === label);
  if (position === -1)
    throw new DrillError('not-found', `This run has no finished step "${label}" to branch from.`);
  return position;
}

function checkOrigin(run: LoadedRun, seq: number): void {
  const held = heldAfter(run.records.slice(0, seq));
  if (held.length > 0) {
    throw new DrillError(
      'refused',
      `After this step an executor of "${held[0]}" is held alive, which no copy can take along. Branch before it, or after its release.`,
    );
  }
  if (!existsSync(rawDir(runDirectory(run.row.id), seq))) {
    throw new DrillError(
      'unavailable',
      'The files as they lay after this step are not kept, so nothing can go on from them. Replay the case, and branch from the replay.',
    );
  }
}

function nothingToRetry(lab: Lab, records: readonly StepRecord[]): string {
  const others = records.filter((record) =>
    lab.commands.some(({ name, kind }) => name === record.spec.command && kind === 'other-actor'),
  );
  if (others.length === 0) return 'Nothing has been submitted up to this step, so there is nothing to retry.';
  const names = others.map((record) => `"${record.label}"`).join(', ');
  return `Up to this step everything was submitted by other actors (${names}), so this program has nothing of its own to retry. Branch with "Nothing yet", and choose the step yourself.`;
}

/** Fills a branch's directory: the databases as they lay after the step, and the copies of the steps before it. */
function copyState(run: LoadedRun, seq: number, to: string): void {
  const from = runDirectory(run.row.id);
  const files = run.lab.stores.map((one) => one.file);
  for (let step = 1; step <= seq; step += 1) {
    if (existsSync(rawDir(from, step))) cpSync(rawDir(from, step), rawDir(to, step), { recursive: true });
  }
  copyRaw(files, rawDir(from, seq), databaseDir(to));
}

/**
 * Begins a run that goes on from a step of another one, in a copy of the databases as they lay after it. The origin
 * stays as it is.
 *
 * @returns the new run, and what was run in it
 * @throws DrillError `not-found` for an unknown run or step, `usage` for an unknown safeguard, `refused` where an
 *   executor is held there; nothing has begun then. A retry that is refused leaves the branch where it began.
 */
export async function branchRun({
  run: id,
  label,
  retry = 'none',
  without = [],
}: BranchRun): Promise<Branched> {
  const origin = loadRun(id);
  checkSafeguards(origin.lab, without);
  const seq = positionOf(origin, label) + 1;
  checkOrigin(origin, seq);
  const records = origin.records.slice(0, seq);
  const steps = {
    none: () => [],
    same: () => retrySame(origin.lab, records, origin.records),
    fresh: () => retryFresh(origin.lab, records, origin.records),
  }[retry]();
  if (retry !== 'none' && steps.length === 0) {
    throw new DrillError('refused', nothingToRetry(origin.lab, records));
  }
  requireRoom(seq, steps.length);
  const run = newRunId();
  placeRun({
    row: {
      id: run,
      lab: origin.lab.id,
      scenario: null,
      definition: null,
      title: `Branch after ${label}: ${origin.row.title.replace(BRANCH, '')}`,
      without: JSON.stringify([...new Set([...origin.without, ...without])]),
      faithful: 0,
      created_at: new Date().toISOString(),
      origin_run: id,
      origin_label: label,
      steps_total: null,
    },
    lab: origin.lab,
    scenario: null,
    records,
    fill: (dir) => copyState(origin, seq, dir),
  });
  const ran: string[] = [];
  for (const [index, step] of steps.entries()) {
    const { view } = await addStep({ run, seq: seq + index + 1, step });
    ran.push(view.steps.at(-1)?.label ?? '');
  }
  return { run, ran };
}
