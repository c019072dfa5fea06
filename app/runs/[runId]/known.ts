/** What evidence can count, and what it cannot: of a store that is gone or unreadable nobody knows what it held. */
import type { StepRecord } from '#lib/drill/model.ts';
import { gapsOf } from '#lib/evidence/gaps.ts';
import { type PanelId, panel } from '#lib/evidence/model.ts';
import type { Lab } from '#lib/labs/contract.ts';

type History = readonly Pick<StepRecord, 'evidence'>[];
type Stores = Pick<Lab, 'stores'>;

/** Stores that were there after some step: what was never created holds nothing, and that is known. */
export function everThere<S extends { id: string }>(stores: readonly S[], history: History): S[] {
  const present = (store: string, one: History[number]) =>
    one.evidence?.files.some((file) => file.store === store && file.present);
  return stores.filter(({ id }) => history.some((one) => present(id, one)));
}

/** Why a panel cannot be counted. */
export interface Blind {
  store: string;
  problem: 'gone' | 'unreadable';
}

/**
 * @param history steps up to the one looked at
 * @returns the first store behind a panel that cannot be read any more, or null where the panel shows all there is
 */
export function blindOf({ stores }: Stores, history: History, id: PanelId): Blind | null {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return null;
  const gap = gapsOf(evidence, id, everThere(stores, history)).find(({ problem }) => problem !== 'damaged');
  return gap ? { store: gap.store, problem: gap.problem === 'missing' ? 'gone' : 'unreadable' } : null;
}

export const FIGURES = { exist: 'target', proved: 'receipts', attempts: 'operation' } as const;
export type FigureName = keyof typeof FIGURES;

export type Figure = { count: number; blind: null } | { count: null; blind: Blind };

export type Figures = Record<FigureName, Figure> & {
  /** Operations that an attempt was made for: a run and its compensation are two. */
  operations: number;
};

/**
 * The three numbers of a lab that counts attempts.
 *
 * @param history steps up to the one looked at
 * @returns null for a lab that does not count them, or where nothing was read
 */
export function figuresOf(lab: Stores, history: History): Figures | null {
  const evidence = history.at(-1)?.evidence;
  if (!evidence) return null;
  const operation = panel(evidence, 'operation');
  const made = operation.rows
    .map(({ cells }) => cells.attempts ?? cells.attempt)
    .filter((count): count is number => typeof count === 'number');
  const counting = operation.columns.some((name) => name === 'attempts' || name === 'attempt');
  if (!counting && made.length === 0) return null;
  const figure = (name: FigureName, count: number): Figure => {
    const blind = blindOf(lab, history, FIGURES[name]);
    return blind ? { count: null, blind } : { count, blind };
  };
  return {
    exist: figure('exist', panel(evidence, 'target').rows.length),
    proved: figure('proved', panel(evidence, 'receipts').rows.length),
    attempts: figure(
      'attempts',
      made.reduce((sum, count) => sum + count, 0),
    ),
    operations: made.filter((count) => count > 0).length,
  };
}
