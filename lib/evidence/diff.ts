import { canonicalJson } from '../core/canonical.ts';
import type { Json } from '../core/json.ts';
import { type Gap, gapsOf, type PanelSource } from './gaps.ts';
import { type Evidence, PANEL_IDS, type Panel, type PanelId, panel, type Row } from './model.ts';

export interface CellDiff {
  cell: string;
  before: Json | undefined;
  after: Json | undefined;
}

export type RowDiff =
  /** `unseen`: its store could not be read on the other side, so nobody can say whether it was, or is, there. */
  | { key: string; kind: 'added' | 'unseen'; after: Row }
  | { key: string; kind: 'removed' | 'unseen'; before: Row }
  | { key: string; kind: 'changed'; before: Row; after: Row; cells: CellDiff[] }
  | { key: string; kind: 'same'; before: Row; after: Row };

export interface PanelDiff {
  id: PanelId;
  rows: RowDiff[];
  added: number;
  removed: number;
  changed: number;
  /** A store could not be read on one side: where nothing else differs, whether they are the same is not known. */
  known: boolean;
}

/** Stores that could not be read, on either side of a comparison. */
export interface Gaps {
  before: readonly Gap[];
  after: readonly Gap[];
}

const NONE: Gaps = { before: [], after: [] };

function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

function diffRow(before: Row, after: Row): RowDiff {
  const names = new Set([...Object.keys(before.cells), ...Object.keys(after.cells)]);
  const cells = [...names]
    .filter((name) => !equal(before.cells[name], after.cells[name]))
    .map((cell) => ({ cell, before: before.cells[cell], after: after.cells[cell] }));
  const key = after.key;
  return cells.length === 0
    ? { key, kind: 'same', before, after }
    : { key, kind: 'changed', before, after, cells };
}

const lies = (gaps: readonly Gap[], row: Row): boolean =>
  gaps.some((gap) => gap.joins || gap.store === row.store);

/** Rows aligned by key: those of `before` in their order, then those that only `after` has. */
export function diffPanel(before: Panel, after: Panel, gaps: Gaps = NONE): PanelDiff {
  const then = new Map(after.rows.map((row) => [row.key, row]));
  const known = new Set(before.rows.map((row) => row.key));
  const rows: RowDiff[] = before.rows.map((row) => {
    const match = then.get(row.key);
    if (match) return diffRow(row, match);
    return { key: row.key, kind: lies(gaps.after, row) ? 'unseen' : 'removed', before: row };
  });
  for (const row of after.rows) {
    if (known.has(row.key)) continue;
    rows.push({ key: row.key, kind: lies(gaps.before, row) ? 'unseen' : 'added', after: row });
  }
  const count = (kind: RowDiff['kind']) => rows.filter((row) => row.kind === kind).length;
  return {
    id: after.id,
    rows,
    added: count('added'),
    removed: count('removed'),
    changed: count('changed'),
    known: gaps.before.length + gaps.after.length === 0,
  };
}

/**
 * Difference of two pieces of evidence, panel by panel.
 *
 * @param stores of their lab; without them a store that could not be read counts as an empty one
 */
export function diffEvidence(
  before: Evidence,
  after: Evidence,
  stores: readonly PanelSource[] = [],
): PanelDiff[] {
  return PANEL_IDS.map((id) =>
    diffPanel(panel(before, id), panel(after, id), {
      before: gapsOf(before, id, stores),
      after: gapsOf(after, id, stores),
    }),
  );
}

/** Where two pieces of evidence first differ: panel, row and cell; null where they are equal to the byte. */
export function firstDifference(
  a: Evidence,
  b: Evidence,
): { panel: string; row: string; cell: string; a: Json; b: Json } | null {
  if (canonicalJson(a) === canonicalJson(b)) return null;
  for (const diff of diffEvidence(a, b)) {
    const row = diff.rows.find((candidate) => candidate.kind !== 'same');
    if (!row) continue;
    if (row.kind === 'changed') {
      const cell = row.cells[0];
      if (cell) {
        return {
          panel: diff.id,
          row: row.key,
          cell: cell.cell,
          a: cell.before ?? null,
          b: cell.after ?? null,
        };
      }
    }
    const has = row.kind === 'added' ? 'b' : 'a';
    return {
      panel: diff.id,
      row: row.key,
      cell: '*',
      a: has === 'a' ? 'present' : null,
      b: has === 'b' ? 'present' : null,
    };
  }
  for (const part of ['truth', 'integrity', 'files'] as const) {
    if (canonicalJson(a[part]) !== canonicalJson(b[part])) {
      return { panel: part, row: '*', cell: '*', a: canonicalJson(a[part]), b: canonicalJson(b[part]) };
    }
  }
  return { panel: 'order', row: '*', cell: '*', a: null, b: null };
}
