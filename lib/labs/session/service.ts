/** The ticket and document service: its own database, its own commits, its own truth. */

import { join } from 'node:path';
import { boundary } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { readFileSync } from '../../core/fs.ts';
import type { Json } from '../../core/json.ts';
import { createWhole } from '../../sqlite/create-whole.ts';
import { commitOrLeave, type Db, openDatabase, openReadOnly } from '../../sqlite/open.ts';
import { DOCUMENT, keeps, SERVICE, type TicketParameters } from './words.ts';

export interface Ticket extends TicketParameters {
  id: number;
  key: string;
  /** The request that made it; null where its client had no connection. */
  request: string | null;
}

export type TicketOutcome =
  | { status: 'created' | 'existing'; ticket: Ticket }
  | { status: 'operation-conflict'; ticket: Ticket };

export type UpdateOutcome =
  | { status: 'accepted' | 'already-accepted'; version: number }
  | { status: 'stale-version'; version: number; expected: number }
  | { status: 'operation-conflict'; version: number };

/** @throws DrillError `would-overwrite` where the file is there */
export function createService(dir: string): void {
  createWhole(
    join(dir, SERVICE.file),
    readFileSync(join(import.meta.dirname, 'schema', 'service.sql'), 'utf8'),
  );
}

/** True for a service of this lab that has never accepted an update, made a ticket or answered a call. */
export function isUntouchedService(dir: string): boolean {
  try {
    const db = openReadOnly(join(dir, SERVICE.file), SERVICE.tables);
    try {
      const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
      return (
        count('documents') === 1 && ['updates', 'tickets', 'replies'].every((table) => count(table) === 0)
      );
    } finally {
      db.close();
    }
  } catch {
    // Whatever cannot be read so is none of ours, and is left alone.
    return false;
  }
}

/** @throws DrillError `no-database` before init */
export const openService = (dir: string): Db => openDatabase(join(dir, SERVICE.file), SERVICE.tables);

/**
 * Looks whether the service is there, and leaves its files as they lie.
 *
 * @throws DrillError `no-database` before init
 */
export const probeService = (dir: string): void => {
  openReadOnly(join(dir, SERVICE.file), SERVICE.tables).close();
};

function observe(
  db: Db,
  change: { target: string; operation: string; actor: string; from: Json; to: Json },
): void {
  db.prepare('INSERT INTO ground_truth (target, operation, actor, before, after) VALUES (?, ?, ?, ?, ?)').run(
    change.target,
    change.operation,
    change.actor,
    JSON.stringify(change.from),
    JSON.stringify(change.to),
  );
}

function findTicket(db: Db, key: string): Ticket | undefined {
  return db
    .prepare(
      'SELECT id, operation_key AS key, request, tool, source, title FROM tickets WHERE operation_key = ? ORDER BY id LIMIT 1',
    )
    .get(key) as Ticket | undefined;
}

/** The ticket under a key, or undefined. Authoritative here; a real service's "not found" may mean "not yet". */
export function lookUpTicket(dir: string, key: string): Ticket | undefined {
  const db = openReadOnly(join(dir, SERVICE.file), SERVICE.tables);
  try {
    return findTicket(db, key);
  } finally {
    db.close();
  }
}

/** True where two calls mean the same thing. */
export const sameParameters = (a: TicketParameters, b: TicketParameters): boolean =>
  a.tool === b.tool && a.source === b.source && a.title === b.title;

export interface TicketRequest extends TicketParameters {
  key: string;
  /** Who makes the change, for the ground truth alone. */
  actor: string;
  boundaries: { before: string; after: string };
  /** The reply as it will be written, to be recorded in the same commit. */
  reply?: { request: string; bytes(ticket: Ticket): string };
}

/**
 * Creates a ticket, or finds the one that this key has made already. Look-up, ticket and recorded reply are one
 * commit, and the key is unique in the table besides (README.md, "The service"). Where nothing is to be written
 * there is no commit.
 */
export function createTicket(db: Db, request: TicketRequest, without: ReadonlySet<string>): TicketOutcome {
  const unique = keeps(without, 'unique-key');
  return commitOrLeave<TicketOutcome>(db, SERVICE.id, 'ticket', request.boundaries, (leave) => {
    const { key } = request;
    const found = unique ? findTicket(db, key) : undefined;
    if (found && !sameParameters(found, request)) leave({ status: 'operation-conflict', ticket: found });
    if (found && !request.reply) leave({ status: 'existing', ticket: found });
    const ticket = found ?? insertTicket(db, request, unique);
    if (request.reply) {
      db.prepare('INSERT INTO replies (operation_key, request, bytes) VALUES (?, ?, ?)').run(
        key,
        request.reply.request,
        request.reply.bytes(ticket),
      );
    }
    return { status: found ? 'existing' : 'created', ticket };
  });
}

function insertTicket(db: Db, request: TicketRequest, unique: boolean): Ticket {
  const { key, tool, source, title, actor } = request;
  const by = request.reply?.request ?? null;
  const { lastInsertRowid } = db
    .prepare(
      'INSERT INTO tickets (operation_key, unique_key, request, tool, source, title) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(key, unique ? key : null, by, tool, source, title);
  const id = Number(lastInsertRowid);
  observe(db, {
    target: `ticket ${id}`,
    operation: key,
    actor,
    from: null,
    to: { source, title, request: by },
  });
  return { id, key, request: by, tool, source, title };
}

/**
 * Bytes of the last reply recorded for a key, for a delivery that a real transport cannot produce.
 *
 * @throws DrillError `refused` where the service never made one
 */
export function recordedReply(dir: string, key: string): string {
  const db = openReadOnly(join(dir, SERVICE.file), SERVICE.tables);
  try {
    const row = db
      .prepare('SELECT bytes FROM replies WHERE operation_key = ? ORDER BY seq LIMIT 1')
      .get(key) as { bytes: string } | undefined;
    if (!row) {
      throw new DrillError('refused', `The service has recorded no reply for ${key}; nothing was delivered.`);
    }
    return row.bytes;
  } finally {
    db.close();
  }
}

/**
 * One writer: reads the document, then writes on top of the version it has read. A refused update commits nothing.
 *
 * @param input `expected`: the version the writer has read before, or null to read it now
 */
export function updateDocument(
  db: Db,
  input: { operation: string; body: string; expected: number | null },
  without: ReadonlySet<string>,
): UpdateOutcome {
  const read = () =>
    db.prepare('SELECT version, body FROM documents WHERE document = ?').get(DOCUMENT) as {
      version: number;
      body: string;
    };
  const expected = input.expected ?? read().version;
  boundary('after-read');
  return commitOrLeave<UpdateOutcome>(
    db,
    SERVICE.id,
    'update',
    { before: 'before-update-commit', after: 'after-update' },
    (leave) => {
      const earlier = db
        .prepare('SELECT version, body FROM updates WHERE operation = ?')
        .get(input.operation) as { version: number; body: string } | undefined;
      // The same name with another text is no retry: to confirm it would confirm what was never written.
      if (earlier) {
        const same = earlier.body === input.body;
        leave({ status: same ? 'already-accepted' : 'operation-conflict', version: earlier.version });
      }
      const before = read();
      if (keeps(without, 'version-check') && before.version !== expected) {
        leave({ status: 'stale-version', version: before.version, expected });
      }
      // With the rule off this is the lost update: the version written follows the one read, whatever came between.
      const version = expected + 1;
      db.prepare('UPDATE documents SET version = ?, body = ? WHERE document = ?').run(
        version,
        input.body,
        DOCUMENT,
      );
      db.prepare(
        'INSERT INTO updates (operation, document, from_version, version, body) VALUES (?, ?, ?, ?, ?)',
      ).run(input.operation, DOCUMENT, expected, version, input.body);
      observe(db, {
        target: DOCUMENT,
        operation: input.operation,
        actor: 'executor',
        from: { ...before },
        to: { version, body: input.body },
      });
      return { status: 'accepted', version };
    },
  );
}
