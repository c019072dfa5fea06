/** A sweep as pages see it: progress, layers, and the cells of one layer. */
import { store } from '#db/open.ts';
import {
  countCells,
  findSweep,
  layersOf,
  layerTexts,
  type SweepKind,
  type SweepRow,
  type SweepState,
  sweepsOf,
} from '#db/sweeps.ts';
import { DrillError } from '../core/errors.ts';
import type { CellResult, Place, SweepReport } from '../drill/sweep/model.ts';
import type { SafeguardTable, WeakCell } from '../drill/sweep/safeguards.ts';
import type { CheckResult } from '../evidence/model.ts';
import { snapshot } from '../sqlite/open.ts';
import { ownerLives } from './owner.ts';
import { type CellSummary, sweepsAtWork } from './sweep-job.ts';

const SWEEP_ID = /^s[0-9a-z]{8}[0-9a-f]{12}$/;

export interface LayerView {
  depth: number;
  size: number;
  done: number;
  holds: number;
  violated: number;
  unknown: number;
}

/** A matrix's report without its cells. */
export type MatrixReport = Omit<SweepReport, 'layers' | 'procedures'>;

export interface SweepView {
  id: string;
  kind: SweepKind;
  lab: string;
  depth: number;
  without: string[];
  state: SweepState;
  createdAt: string;
  verdict: CheckResult | null;
  error: string | null;
  layers: LayerView[];
  /** Null unless it is at work in this process. */
  work: { waiting: boolean; perSecond: number | null; secondsLeft: number | null } | null;
  /** At work with an owner that is dead, or in another process. */
  elsewhere: boolean;
}

function layersOfRow(row: SweepRow): LayerView[] {
  const db = store();
  const counts = countCells(db, row.id);
  return layersOf(db, row.id).map(({ depth, size }) => {
    const of = (verdict: CheckResult) =>
      counts.find((count) => count.depth === depth && count.verdict === verdict)?.cells ?? 0;
    const [holds, violated, unknown] = [of('holds'), of('violated'), of('unknown')];
    return { depth, size, done: holds + violated + unknown, holds, violated, unknown };
  });
}

function workView(row: SweepRow, layers: readonly LayerView[]): SweepView['work'] {
  const work = row.state === 'running' ? sweepsAtWork().get(row.id) : undefined;
  if (!work) return null;
  const seconds = (Date.now() - work.since) / 1000;
  const perSecond = work.cells > 0 && seconds > 0 ? work.cells / seconds : null;
  const last = layers.at(-1);
  const left = last ? last.size - last.done : 0;
  return { waiting: work.waiting, perSecond, secondsLeft: perSecond ? left / perSecond : null };
}

export function viewOfSweep(row: SweepRow): SweepView {
  const layers = layersOfRow(row);
  const owner = { pid: row.owner_pid, start: row.owner_start, boot: row.boot };
  const work = workView(row, layers);
  return {
    id: row.id,
    kind: row.kind,
    lab: row.lab,
    depth: row.depth,
    without: JSON.parse(row.without) as string[],
    state: row.state,
    createdAt: row.created_at,
    verdict: row.verdict,
    error: row.error,
    layers,
    work,
    elsewhere: row.state === 'running' && !work && ownerLives(owner),
  };
}

/** @throws DrillError `usage` for what is no sweep id, `not-found` where there is no such sweep */
export function loadSweep(id: unknown): SweepRow {
  if (typeof id !== 'string' || !SWEEP_ID.test(id)) throw new DrillError('usage', 'That is no sweep id.');
  const row = findSweep(store(), id);
  if (!row) throw new DrillError('not-found', `There is no sweep ${id}.`);
  return row;
}

/** @throws DrillError as `loadSweep` */
export async function getSweep(id: string): Promise<SweepView> {
  return snapshot(store(), () => viewOfSweep(loadSweep(id)));
}

/** A sweep as the list of a lab's sweeps has it. */
export type ListedSweep = Pick<
  SweepView,
  'id' | 'kind' | 'depth' | 'without' | 'state' | 'verdict' | 'createdAt'
>;

/** Every sweep of a lab, newest first. Reads no cell. */
export async function listSweeps(kind: SweepKind, lab: string): Promise<ListedSweep[]> {
  return sweepsOf(store(), kind, lab).map(({ created_at: createdAt, without, ...row }) => ({
    ...row,
    createdAt,
    without: JSON.parse(without) as string[],
  }));
}

/**
 * The sweep that a lab's page shows.
 *
 * @param asked its id; null for the newest
 * @returns null where the lab has no such sweep of this kind
 */
export async function shownSweep(
  kind: SweepKind,
  lab: string,
  asked: string | null,
): Promise<SweepView | null> {
  return snapshot(store(), () => {
    const id = asked ?? sweepsOf(store(), kind, lab, 1)[0]?.id;
    const row = id === undefined ? undefined : findSweep(store(), id);
    return row && row.kind === kind && row.lab === lab ? viewOfSweep(row) : null;
  });
}

export interface MatrixLayer {
  cells: CellSummary[];
  /** The boundary hits of each procedure without a fault, in their order; recorded before any fault is placed. */
  baselines: { procedure: string; reached: Place[] }[];
  report: MatrixReport | null;
}

/** Cells of one layer of a matrix, as far as they are done, with the report once the sweep is. */
export async function matrixLayer(id: string, depth: number): Promise<MatrixLayer> {
  const row = loadSweep(id);
  const baselines = layerTexts(store(), row.id, 0, 'result').map((text) => JSON.parse(text) as CellResult);
  return {
    cells: layerTexts(store(), row.id, depth, 'summary').map((text) => JSON.parse(text) as CellSummary),
    baselines: baselines.map(({ procedure, reached }) => ({ procedure, reached })),
    report: row.report ? (JSON.parse(row.report) as MatrixReport) : null,
  };
}

/** A safeguard table as far as it is done. */
export async function safeguardCells(id: string): Promise<{
  sound: WeakCell[];
  singles: WeakCell[];
  pairs: WeakCell[];
  table: SafeguardTable | null;
}> {
  const row = loadSweep(id);
  const read = (layer: number) =>
    layerTexts(store(), row.id, layer, 'summary').map((text) => JSON.parse(text) as WeakCell);
  const table = row.report ? (JSON.parse(row.report) as SafeguardTable) : null;
  return { sound: read(0), singles: read(1), pairs: table?.pairs ?? [], table };
}
