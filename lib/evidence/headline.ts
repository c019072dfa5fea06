/** What a panel says first, in its lab's own words. */
import type { Json } from '../core/json.ts';
import type { Panel, PanelId, Row } from './model.ts';

/** A part of a headline: a number of rows, or what a cell of them says. */
export type HeadlinePart = (
  | { one: string; many: string }
  | {
      cell: string;
      /** Written before the value: "version 2". */
      name?: string;
    }
) & {
  /** Only rows whose key begins so. */
  prefix?: string;
  /** Only rows that have this cell. */
  having?: string;
};

export type Headlines = Partial<Record<PanelId, readonly HeadlinePart[]>>;

const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);

function rowsOf(panel: Panel, { prefix, having }: HeadlinePart): Row[] {
  return panel.rows.filter(
    ({ key, cells }) =>
      (prefix === undefined || key.startsWith(prefix)) && (having === undefined || having in cells),
  );
}

function partOf(panel: Panel, part: HeadlinePart): string {
  const rows = rowsOf(panel, part);
  if ('one' in part) return `${rows.length} ${rows.length === 1 ? part.one : part.many}`;
  const counts = new Map<string, number>();
  for (const row of rows.filter(({ cells }) => part.cell in cells)) {
    const value = text(row.cells[part.cell]);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const values = [...counts].map(([value, count]) => (count === 1 ? value : `${value} × ${count}`));
  if (values.length === 0) return '';
  return part.name ? `${part.name} ${values.join(', ')}` : values.join(', ');
}

/** @returns the headline of a panel; empty where the lab gives none, or where no row has what it names */
export function headlineOf(panel: Panel, headlines: Headlines | undefined): string {
  return (headlines?.[panel.id] ?? [])
    .map((part) => partOf(panel, part))
    .filter(Boolean)
    .join(' · ');
}
