/**
 * The reader: a child that answers queries and is killed where it does not. One JSON line a request on standard input,
 * `{"at": n}` before each query and one line with all answers on standard output. It ends with its input.
 */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import type { Client } from 'pg';
import type { Json } from '../core/json.ts';

export interface ReadStore {
  id: string;
  sqlite?: string;
  postgres?: string;
}
export interface ReadQuery {
  store: string;
  sql: string;
}
export interface ReadRequest {
  stores: ReadStore[];
  queries: ReadQuery[];
  /** Where databases are copied before they are opened; without it they are read as they are, while the program runs. */
  copies?: string;
}
export interface Rows {
  columns: string[];
  rows: Json[][];
}
export type Answer = Rows | { problem: string };
export interface ReadReply {
  answers: Answer[];
  integrity: { store: string; quickCheck: string; foreignKeys: string }[];
}

const MAX_ROWS = 10_000;
const READER_NAME = 'drill-reader';
/** What can end a transaction, or change the session, is no query of evidence. */
const READS = /^(\s|--[^\n]*\n|\/\*.*?\*\/)*(SELECT|WITH|VALUES|TABLE|\()/is;
const NO_QUERY = { problem: 'it is not a query that only reads' };
const clients = new Map<string, Client>();

type Handle = (sql: string) => Answer | Promise<Answer>;

function json(value: unknown): Json {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value.toString();
  }
  if (Buffer.isBuffer(value)) return `x'${value.toString('hex')}'`;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value as Json;
}

const problemOf = (error: unknown) => (error as Error).message.split('\n')[0] ?? 'it cannot be read';
const tooMany = { problem: `it has more than ${MAX_ROWS} rows` };

/** A crashed database is opened as a copy: opening it writes, and a hot journal is rolled back. */
function copied(file: string, copies: string): string {
  mkdirSync(copies, { recursive: true });
  const target = join(copies, basename(file));
  for (const suffix of ['', '-wal', '-journal']) {
    rmSync(target + suffix, { force: true });
    if (existsSync(file + suffix)) copyFileSync(file + suffix, target + suffix);
  }
  return target;
}

function sqlite(
  store: ReadStore,
  copies: string | undefined,
): { handle: Handle; db: Database.Database | null } {
  const file = store.sqlite as string;
  const failing = (problem: string) => ({ handle: () => ({ problem }), db: null });
  if (!existsSync(file)) return failing('missing');
  try {
    const path = copies === undefined ? file : copied(file, join(copies, store.id));
    const db = new Database(path, { readonly: copies === undefined, fileMustExist: true, timeout: 1000 });
    db.defaultSafeIntegers(true);
    // The schema is read here, so that what is no database says so now.
    db.prepare('SELECT count(*) FROM sqlite_master').get();
    const handle = (sql: string): Answer => {
      const statement = db.prepare(sql);
      if (!statement.reader || !statement.readonly) return NO_QUERY;
      const rows: Json[][] = [];
      for (const row of statement.raw().iterate() as Iterable<unknown[]>) {
        if (rows.length >= MAX_ROWS) return tooMany;
        rows.push(row.map(json));
      }
      return { columns: statement.columns().map((column) => column.name), rows };
    };
    return { handle, db };
  } catch (error) {
    return failing(problemOf(error));
  }
}

const INTEGERS = new Set([20, 21, 23, 26]);
const FLOATS = new Set([700, 701]);
const JSONS = new Set([114, 3802]);

/** PostgreSQL's texts as JSON: whole numbers as numbers where they are exact, times in ISO form. */
function typeParser(oid: number): (text: string) => Json {
  if (oid === 16) return (text) => text === 't';
  if (INTEGERS.has(oid)) return (text) => json(BigInt(text));
  if (FLOATS.has(oid)) return (text) => json(Number(text));
  if (JSONS.has(oid)) return (text) => JSON.parse(text) as Json;
  if (oid === 1184) return (text) => text.replace(' ', 'T').replace(/\+00$/, 'Z');
  if (oid === 1114) return (text) => text.replace(' ', 'T');
  return (text) => text;
}

async function postgres(store: ReadStore): Promise<{ handle: Handle; end: () => Promise<unknown> }> {
  const url = store.postgres as string;
  const { default: pg } = await import('pg');
  let client = clients.get(url);
  if (!client) {
    client = new pg.Client({
      connectionString: url,
      application_name: READER_NAME,
      connectionTimeoutMillis: 5000,
    });
    client.on('error', () => clients.delete(url));
    await client.connect();
    clients.set(url, client);
    await client.query(`SET TIME ZONE 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 1`);
  }
  const using = client;
  const begin = () => using.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await begin();
  const handle: Handle = async (sql) => {
    if (!READS.test(sql)) return NO_QUERY;
    try {
      // The extended protocol takes one statement only: none can end the transaction and write behind it.
      const result = await using.query({
        text: sql,
        rowMode: 'array',
        queryMode: 'extended',
        types: { getTypeParser: typeParser },
      } as never);
      const rows = (result as unknown as { rows: Json[][] }).rows;
      if (rows.length > MAX_ROWS) return tooMany;
      return {
        columns: (result as unknown as { fields: { name: string }[] }).fields.map((f) => f.name),
        rows,
      };
    } catch (error) {
      await using.query('ROLLBACK');
      await begin();
      return { problem: problemOf(error) };
    }
  };
  return { handle, end: () => using.query('ROLLBACK').catch(() => clients.delete(url)) };
}

function integrityOf(id: string, db: Database.Database | null): ReadReply['integrity'][number] {
  if (!db) return { store: id, quickCheck: 'missing', foreignKeys: 'missing' };
  try {
    const quick = db.pragma('quick_check') as { quick_check: string }[];
    const keys = db.pragma('foreign_key_check') as unknown[];
    return {
      store: id,
      quickCheck: quick.map((row) => row.quick_check).join('; '),
      foreignKeys: keys.length === 0 ? 'ok' : `${keys.length} broken`,
    };
  } catch (error) {
    return { store: id, quickCheck: problemOf(error), foreignKeys: 'unreadable' };
  }
}

async function answer(request: ReadRequest): Promise<ReadReply> {
  const handles = new Map<string, Handle>();
  const ends: (() => unknown)[] = [];
  const integrity: ReadReply['integrity'] = [];
  for (const store of request.stores) {
    if (store.sqlite !== undefined) {
      const { handle, db } = sqlite(store, request.copies);
      handles.set(store.id, handle);
      ends.push(() => db?.close());
      if (request.copies !== undefined) integrity.push(integrityOf(store.id, db));
      continue;
    }
    try {
      const { handle, end } = await postgres(store);
      handles.set(store.id, handle);
      ends.push(end);
    } catch (error) {
      handles.set(store.id, () => ({ problem: problemOf(error) }));
    }
  }
  const answers: Answer[] = [];
  for (const [index, { store, sql }] of request.queries.entries()) {
    process.stdout.write(`{"at":${index}}\n`);
    try {
      answers.push(await (handles.get(store) as Handle)(sql));
    } catch (error) {
      answers.push({ problem: problemOf(error) });
    }
  }
  for (const end of ends) await end();
  return { answers, integrity };
}

async function main(): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line) as ReadRequest | { forget: string[] };
    if ('forget' in request) {
      for (const url of request.forget) {
        await clients
          .get(url)
          ?.end()
          .catch(() => {});
        clients.delete(url);
      }
      process.stdout.write('{"answers":[],"integrity":[]}\n');
      continue;
    }
    process.stdout.write(`${JSON.stringify(await answer(request))}\n`);
  }
  process.exit(0);
}

if (process.argv[2] === 'serve') void main();
