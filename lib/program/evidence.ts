/** What is found in a program's stores after a step, in the four panels of every lab. */
import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { canonicalJson } from '../core/canonical.ts';
import type { Json, JsonObject } from '../core/json.ts';
import {
  type FileState,
  type Integrity,
  PANEL_IDS,
  type Panel,
  type PanelId,
  type Row,
} from '../evidence/model.ts';
import { failureOf, runToEnd, type StartOptions } from './command.ts';
import type { ProgramLab } from './load.ts';
import type { Answer, ReadQuery, ReadRequest, ReadStore, Rows } from './reader.ts';
import type { Reader } from './reader-client.ts';
import type { ProgramSpec, QuerySpec, StoreSpec } from './schema.ts';
import { fill, fillSql } from './variables.ts';

const TITLES: Record<PanelId, string> = {
  operation: 'Operation status',
  target: 'Target',
  receipts: 'Receipts',
  events: 'Event history',
};
const COMMAND_BYTES = 1024 * 1024;
const COMMAND_WITHIN = '10s';

/** One effect, as the ground truth has it. */
export interface TruthEffect {
  store: string;
  target: string;
  operation: string | null;
  actor: string;
  from: Json;
  to: Json;
}

export interface ProgramEvidence {
  lab: string;
  panels: [Panel, Panel, Panel, Panel];
  truth: TruthEffect[];
  integrity: Integrity[];
  files: FileState[];
}

/** What could not be read: never taken for "no rows". */
export interface Gap {
  /** `panel operation`, `effects`, `invariant no-orphans`. */
  of: string;
  store: string;
  problem: string;
}

/** Evidence with what it cannot say, and what the lab's own invariants found. */
export interface Observation {
  evidence: ProgramEvidence;
  gaps: Gap[];
  /** For each invariant that is a query: the rows that it must not return, or null where it cannot be known. */
  queries: Record<string, JsonObject[] | null>;
}

export interface Place {
  /** The directory of the run. */
  dir: string;
  /** URL of each PostgreSQL service's database. */
  databases: Readonly<Record<string, string>>;
}

/** A store as the reader takes it; a file that lies elsewhere is none. */
function readStore(id: string, spec: StoreSpec, place: Place): ReadStore | { problem: string } {
  if (spec.postgres !== undefined) {
    const url = place.databases[spec.postgres];
    return url === undefined ? { problem: 'missing' } : { id, postgres: url };
  }
  const file = join(place.dir, spec.sqlite as string);
  if (!existsSync(file)) return { problem: 'missing' };
  if (!realpathSync(file).startsWith(realpathSync(place.dir) + sep))
    return { problem: 'a link that leads out of the directory of the run' };
  return { id, sqlite: file };
}

interface Asked {
  of: string;
  query: { store: string; key?: string | undefined; sql?: string | undefined };
}

function asked(spec: ProgramSpec): Asked[] {
  const panels = PANEL_IDS.flatMap((id) => {
    const panel = spec.panels[id];
    const queries: QuerySpec[] = panel === undefined ? [] : Array.isArray(panel) ? panel : [panel];
    return queries.map((query) => ({ of: `panel ${id}`, query }));
  });
  const invariants = spec.invariants.flatMap((one) =>
    typeof one === 'string' ? [] : [{ of: `invariant ${one.id}`, query: one }],
  );
  return [...panels, { of: 'effects', query: spec.effects }, ...invariants];
}

function rowsOfText(text: string): Rows | { problem: string } {
  try {
    const clean = text.trim();
    const list: unknown = clean.startsWith('[')
      ? JSON.parse(clean)
      : clean
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown);
    const rows = list as JsonObject[];
    if (
      !Array.isArray(rows) ||
      rows.some((row) => typeof row !== 'object' || row === null || Array.isArray(row))
    )
      return { problem: 'it printed something other than JSON objects' };
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return { columns, rows: rows.map((row) => columns.map((column) => row[column] ?? null)) };
  } catch {
    return { problem: 'it printed no JSON' };
  }
}

async function commandRows(words: readonly string[], options: StartOptions): Promise<Answer> {
  const end = await runToEnd(words, { ...options, keep: COMMAND_BYTES, withinMs: 10_000 });
  const failed = failureOf(words, end, COMMAND_WITHIN);
  if (failed) return { problem: failed };
  return end.overflowed ? { problem: 'it printed more than 1 MB' } : rowsOfText(end.stdout);
}

const objects = ({ columns, rows }: Rows): JsonObject[] =>
  rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? null])));

const text = (value: Json | undefined): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const byKey = new Intl.Collator('en', { numeric: true });
const compare = (a: string, b: string) => byKey.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);

/** Rows of one query. A key that is ignored, or that there is not, is a number by appearance. */
function panelRows(query: Asked['query'], rows: JsonObject[], keyIgnored: boolean): Row[] {
  const seen = new Map<string, number>();
  const numbered = query.key === undefined || keyIgnored;
  const made = rows.map((cells, index) => {
    const own = numbered ? `#${index + 1}` : text(cells[query.key as string]);
    const times = (seen.get(own) ?? 0) + 1;
    seen.set(own, times);
    return { key: times === 1 ? own : `${own} (${times})`, store: query.store, cells };
  });
  return made.sort((a, b) => compare(a.key, b.key));
}

function panelOf(id: PanelId, spec: ProgramSpec, found: { query: Asked['query']; answer: Answer }[]): Panel {
  const panel = spec.panels[id];
  const title = !Array.isArray(panel) && panel?.title ? panel.title : TITLES[id];
  const read = found.flatMap(({ query, answer }) => ('problem' in answer ? [] : [{ query, answer }]));
  const columns = [...new Set(read.flatMap(({ answer }) => answer.columns))];
  const rows = read.flatMap(({ query, answer }) =>
    panelRows(query, objects(answer), spec.ignore.includes(`${id}.${query.key}`)),
  );
  return {
    id,
    title,
    columns,
    rows: rows.sort((a, b) => (a.store < b.store ? -1 : a.store > b.store ? 1 : 0)),
  };
}

function truthOf(spec: ProgramSpec, answer: Answer): TruthEffect[] {
  if ('problem' in answer) return [];
  return objects(answer)
    .map(({ operation, ...cells }) => ({
      store: spec.effects.store,
      target: spec.effects.store,
      operation: operation === null || operation === undefined ? null : text(operation),
      actor: 'executor',
      from: null,
      to: cells,
    }))
    .sort((a, b) => compare(a.operation ?? '', b.operation ?? ''));
}

/**
 * Reads all stores. Call it when nothing of the program lives any more.
 *
 * @param commands how the commands of stores are started, and what their variables stand for
 * @param copies a folder for copies of SQLite databases
 * @returns the evidence; what could not be read is a gap. Throws nothing
 */
export async function observe(
  lab: ProgramLab,
  place: Place,
  reader: Reader,
  commands: StartOptions & { values: Readonly<Record<string, string>> },
  copies: string,
): Promise<Observation> {
  const { spec } = lab;
  const operation = spec.operations[0] as string;
  const problems = new Map<string, string>();
  const stores: ReadStore[] = [];
  const printed = new Map<string, Answer>();
  for (const [id, store] of Object.entries(spec.stores)) {
    if (store.command) {
      const words = store.command.map((word) => fill(word, commands.values));
      printed.set(id, await commandRows(words, commands));
      continue;
    }
    const found = readStore(id, store, place);
    if ('problem' in found) problems.set(id, found.problem);
    else stores.push(found);
  }
  const list = asked(spec);
  const open = list.filter(({ query }) => !printed.has(query.store) && !problems.has(query.store));
  const queries: ReadQuery[] = open.map(({ query }) => ({
    store: query.store,
    sql: fillSql(query.sql as string, operation),
  }));
  const reply = await reader.ask({ stores, queries, copies } satisfies ReadRequest);
  const answers = list.map(({ of, query }) => {
    const problem = problems.get(query.store);
    const read = printed.get(query.store) ?? reply.answers[open.findIndex((one) => one.query === query)];
    const answer: Answer = problem === undefined ? (read ?? { problem: 'missing' }) : { problem };
    return { of, query, answer };
  });
  return assemble(lab, answers, reply.integrity, problems);
}

function assemble(
  { spec }: ProgramLab,
  answers: { of: string; query: Asked['query']; answer: Answer }[],
  integrity: Integrity[],
  problems: ReadonlyMap<string, string>,
): Observation {
  const of = (name: string) => answers.filter((one) => one.of === name);
  const panels = PANEL_IDS.map((id) => panelOf(id, spec, of(`panel ${id}`))) as ProgramEvidence['panels'];
  const queries: Observation['queries'] = {};
  for (const one of spec.invariants) {
    if (typeof one === 'string') continue;
    const answer = of(`invariant ${one.id}`)[0]?.answer;
    queries[one.id] = answer === undefined || 'problem' in answer ? null : objects(answer);
  }
  const gaps = answers.flatMap(({ of: what, query, answer }) =>
    'problem' in answer ? [{ of: what, store: query.store, problem: answer.problem }] : [],
  );
  const files = Object.entries(spec.stores).flatMap(([store, { sqlite }]) =>
    sqlite === undefined ? [] : [{ store, file: sqlite, present: problems.get(store) !== 'missing' }],
  );
  const lost = [...problems].map(([store, problem]) => ({
    store,
    quickCheck: problem,
    foreignKeys: problem,
  }));
  return {
    evidence: {
      lab: spec.lab,
      panels,
      truth: truthOf(spec, of('effects')[0]?.answer ?? { problem: 'missing' }),
      integrity: [...integrity, ...lost].sort((a, b) => compare(a.store, b.store)),
      files,
    },
    gaps,
    queries,
  };
}

/** The evidence without the columns that are ignored: what two runs must agree in, as one text. */
export function comparable(evidence: ProgramEvidence, ignore: readonly string[]): string {
  const without = (panel: string, cells: JsonObject) =>
    Object.fromEntries(Object.entries(cells).filter(([column]) => !ignore.includes(`${panel}.${column}`)));
  return canonicalJson({
    ...evidence,
    panels: evidence.panels.map((panel) => ({
      ...panel,
      rows: panel.rows.map((row) => ({ ...row, cells: without(panel.id, row.cells) })),
    })),
    truth: evidence.truth.map((effect) => ({ ...effect, to: without('effects', effect.to as JsonObject) })),
  });
}
