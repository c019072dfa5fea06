/** A sweep at work in this process: each cell recorded as it comes, so that another process can go on from there. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { dataDirectory, store, withoutDiskWait } from '#db/open.ts';
import {
  cellsOf,
  finishSweep,
  insertCell,
  recordLayer,
  type SweepKind,
  type SweepRow,
  type SweepState,
} from '#db/sweeps.ts';
import { scenariosOf } from '../drill/scenario.ts';
import type { CellResult } from '../drill/sweep/model.ts';
import { safeguardTable, type WeakCell } from '../drill/sweep/safeguards.ts';
import { runSweep } from '../drill/sweep/sweep.ts';
import type { CheckResult } from '../evidence/model.ts';
import { getLab } from '../labs/registry.ts';
import { commit } from '../sqlite/open.ts';
import { startInBackground } from './executors.ts';
import { live } from './live.ts';

/** What this process knows of a sweep at work, beyond the store. */
export interface SweepWork {
  stop: AbortController;
  /** Why it was stopped: a person's word ends it, the end of the server leaves it to the next start. */
  stopped: 'cancelled' | 'retired' | null;
  /** When this process began to work on it, and how many cells it has done since; for the rate. */
  since: number;
  cells: number;
  /** It waits for the sweep before it. */
  waiting: boolean;
  end: Promise<void>;
}

const KEY = Symbol.for('recovery-drills.sweeps');
type Shared = typeof globalThis & { [KEY]?: Map<string, SweepWork> };

/** Sweeps at work in this process, by id. */
export function sweepsAtWork(): Map<string, SweepWork> {
  const holder = globalThis as Shared;
  holder[KEY] ??= new Map();
  return holder[KEY];
}

/** Where a sweep works; gone when it does not. */
export const scratch = (id: string): string => join(dataDirectory(), 'sweeps', id);

/** What a table shows of a cell of the matrix; everything else is read when the cell is opened. */
export type CellSummary = Pick<
  CellResult,
  'key' | 'procedure' | 'faults' | 'verdict' | 'violated' | 'decision' | 'effect' | 'effects' | 'foreign'
> & { reason: string };

function summaryOf(cell: CellResult): CellSummary {
  const { key, procedure, faults, verdict, violated, decision, effect, effects, foreign } = cell;
  const reason = cell.reasons[0] ?? '';
  return { key, procedure, faults, verdict, violated, decision, effect, effects, foreign, reason };
}

const CELL_BOUNDARIES = { before: 'before-sweep-cell-commit', after: 'after-sweep-cell' };

interface Shape {
  verdict: CheckResult;
  report: object;
}

function common(row: SweepRow, work: SweepWork) {
  const db = store();
  return {
    dir: scratch(row.id),
    start: startInBackground,
    gate: (executors: number) => live().slots.take(executors, undefined, 'sweep'),
    signal: work.stop.signal,
    onLayer: (depth: number, size: number) => recordLayer(db, row.id, { depth, size }),
    record: (cell: { key: string; verdict: CheckResult }, depth: number, summary: object) => {
      const { key, verdict } = cell;
      const texts = { summary: JSON.stringify(summary), result: JSON.stringify(cell) };
      // A cell that a power cut takes back is done anew.
      withoutDiskWait(db, () =>
        commit(db, 'dashboard', 'sweep-cell', CELL_BOUNDARIES, () =>
          insertCell(db, { sweep: row.id, key, depth, verdict, ...texts }),
        ),
      );
      work.cells += 1;
    },
  };
}

function known<T extends { key: string }>(row: SweepRow): Map<string, T> {
  const cells = cellsOf(store(), row.id).map((cell) => JSON.parse(cell.result) as T);
  return new Map(cells.map((cell) => [cell.key, cell]));
}

async function matrix(row: SweepRow, work: SweepWork): Promise<Shape> {
  const { record, ...options } = common(row, work);
  const {
    layers: _layers,
    procedures: _procedures,
    ...report
  } = await runSweep(getLab(row.lab), {
    ...options,
    depth: row.depth,
    without: JSON.parse(row.without) as string[],
    known: known<CellResult>(row),
    onCell: (cell, depth) => record(cell, depth, summaryOf(cell)),
  });
  return { verdict: report.verdict, report };
}

async function safeguards(row: SweepRow, work: SweepWork): Promise<Shape> {
  const { record, ...options } = common(row, work);
  const table = await safeguardTable(getLab(row.lab), {
    ...options,
    scenarios: scenariosOf(row.lab),
    pairs: row.depth > 1,
    known: known<WeakCell>(row),
    onCell: (cell, depth) => record(cell, depth, cell),
  });
  return { verdict: table.verdict, report: table };
}

const KINDS: Record<SweepKind, (row: SweepRow, work: SweepWork) => Promise<Shape>> = { matrix, safeguards };

/** Writes how a sweep ended. */
export function settle(id: string, state: SweepState, shape: Partial<Shape> & { error?: string } = {}): void {
  finishSweep(store(), {
    id,
    state,
    verdict: shape.verdict ?? null,
    report: shape.report ? JSON.stringify(shape.report) : null,
    error: shape.error ?? null,
  });
}

async function perform(row: SweepRow, work: SweepWork): Promise<void> {
  try {
    // The cells that were in flight when an earlier owner died are thrown away with their directories.
    rmSync(scratch(row.id), { recursive: true, force: true });
    work.stop.signal.throwIfAborted();
    settle(row.id, 'done', await KINDS[row.kind](row, work));
  } catch (error) {
    const stopped = error === work.stop.signal.reason ? work.stopped : null;
    if (stopped === 'retired') return;
    if (stopped === 'cancelled') settle(row.id, 'cancelled');
    else {
      console.error(error);
      settle(row.id, 'failed', { error: (error as Error).message });
    }
  } finally {
    sweepsAtWork().delete(row.id);
    rmSync(scratch(row.id), { recursive: true, force: true });
  }
}

/** Works on a sweep in the background, after those that this process has begun before. */
export function workOn(row: SweepRow): void {
  const all = sweepsAtWork();
  if (all.has(row.id)) return;
  const before = [...all.values()].map(({ end }) => end);
  const work: SweepWork = {
    stop: new AbortController(),
    stopped: null,
    since: Date.now(),
    cells: 0,
    waiting: before.length > 0,
    end: Promise.resolve(),
  };
  all.set(row.id, work);
  work.end = Promise.allSettled(before).then(() => {
    Object.assign(work, { waiting: false, since: Date.now() });
    return perform(row, work);
  });
}

/** Stops a sweep between two cells; its `end` settles when the cells in flight have ended. */
export function stopSweep(work: SweepWork, why: 'cancelled' | 'retired'): void {
  work.stopped = why;
  work.stop.abort(new Error(why));
}

/** Stops every sweep between two cells, to be continued at the next start. */
export async function pauseSweeps(): Promise<void> {
  const all = [...sweepsAtWork().values()];
  for (const work of all) stopSweep(work, 'retired');
  await Promise.allSettled(all.map(({ end }) => end));
}
