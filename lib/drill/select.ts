import type { Json } from '../core/json.ts';
import { isObject } from '../core/json.ts';
import { type Evidence, panel } from '../evidence/model.ts';
import type { Selector, StepRecord } from './model.ts';

/** A member of a reply by its path, dots between the names. */
export function member(value: Json | undefined, path: string): Json | undefined {
  let at: Json | undefined = value;
  for (const key of path.split('.')) at = isObject(at) ? at[key] : undefined;
  return at;
}

/** A cell of a row, or undefined where the panel has no such row or the row no such cell. */
export function cellOf(evidence: Evidence, panelId: Parameters<typeof panel>[1], row: string, cell: string) {
  return panel(evidence, panelId).rows.find((candidate) => candidate.key === row)?.cells[cell];
}

/** How many changes at a target the ground truth counted; of one operation where it is named. */
export function trueChanges(evidence: Evidence, operation?: string): number {
  const changes = evidence.truth;
  return operation === undefined ? changes.length : changes.filter((c) => c.operation === operation).length;
}

/**
 * Reads a figure from a finished step: what a prediction is compared with, so that no answer is written by hand.
 *
 * @returns the value, or undefined where the step has no such thing
 */
export function select(selector: Selector, record: StepRecord): Json | undefined {
  const first = record.executors[0];
  if ('reply' in selector) return member(first?.reply ?? undefined, selector.reply);
  if ('exit' in selector) return first?.code ?? first?.signal ?? (first?.held ? 'held' : undefined);
  if ('invariant' in selector) return record.invariants.find((i) => i.result === 'violated')?.id ?? 'none';
  if (!record.evidence) return undefined;
  if ('truth' in selector) return trueChanges(record.evidence, selector.operation);
  if ('cell' in selector) return cellOf(record.evidence, selector.panel, selector.row, selector.cell);
  const rows = panel(record.evidence, selector.panel).rows;
  return selector.store === undefined
    ? rows.length
    : rows.filter((row) => row.store === selector.store).length;
}
