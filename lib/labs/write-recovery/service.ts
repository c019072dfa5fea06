/**
 * The ticket service, as a client sees it (README.md, "The ticket service"). It deduplicates atomically by tenant and
 * operation key where it knows keys; only its look-up lags, reading by id does not.
 */
import { canonicalJson } from '../../core/canonical.ts';
import { commitOrLeave, type Db } from '../../sqlite/open.ts';
import { type Action, TICKETS } from './words.ts';

export interface Ticket {
  id: number;
  tenant: string;
  source: string;
  title: string;
  status: 'open' | 'in_review' | 'void';
}

export interface Terms {
  /** A look-up sees a ticket only so many ticks after it was made. */
  lag: number;
  /** Whether the service knows operation keys. */
  keys: boolean;
}

/** Who makes a change, for the ground truth alone. */
export interface Maker {
  operation: string | null;
  actor: string;
}

const COLUMNS = 'id, tenant, source, title, status';

/** What the service publishes about itself. */
export function terms(db: Db): Terms {
  const row = db.prepare('SELECT lag, keys FROM service').get() as { lag: number; keys: number };
  return { lag: row.lag, keys: row.keys === 1 };
}

/** Reads a ticket by the id that `create` returned. Does not lag. */
export function ticketById(db: Db, tenant: string, id: number): Ticket | null {
  const row = db.prepare(`SELECT ${COLUMNS} FROM tickets WHERE tenant = ? AND id = ?`).get(tenant, id);
  return (row as Ticket | undefined) ?? null;
}

/** Looks an operation up: by its key, or, where the service knows none, by tenant, source and title. Lags. */
export function lookUp(
  db: Db,
  ask: { tenant: string; key: string; action: Action; now: number },
): Ticket | null {
  const { lag, keys } = terms(db);
  const { tenant, key, action, now } = ask;
  const where = keys ? 'key = @key' : 'source = @source AND title = @title';
  const row = db
    .prepare(
      `SELECT ${COLUMNS} FROM tickets
       WHERE tenant = @tenant AND ${where} AND created_at + @lag <= @now ORDER BY id LIMIT 1`,
    )
    .get({ tenant, key, source: action.source, title: action.title, lag, now });
  return (row as Ticket | undefined) ?? null;
}

/** Same content: what the operation asked for is what lies there. */
export function equalContent(ticket: Ticket, { source, title }: Action): boolean {
  return ticket.source === source && ticket.title === title;
}

function observe(db: Db, ticket: number, { operation, actor }: Maker, before: string, after: Ticket): void {
  const { tenant, source, title, status } = after;
  db.prepare('INSERT INTO ground_truth (ticket, operation, actor, before, after) VALUES (?, ?, ?, ?, ?)').run(
    ticket,
    operation,
    actor,
    before,
    canonicalJson({ tenant, source, title, status }),
  );
}

function content({ tenant, source, title, status }: Ticket): string {
  return canonicalJson({ tenant, source, title, status });
}

export interface CreateAsk {
  tenant: string;
  key: string;
  action: Action;
  now: number;
  maker: Maker;
}

export type Created = { ticket: number; made: boolean } | { conflict: number };

/**
 * Creates a ticket in one commit; under a key that is known already it makes none.
 *
 * @param name of the commit, and the boundaries beside it
 * @returns the ticket's id, or the id of the different ticket that has this key
 */
export function createTicket(
  db: Db,
  ask: CreateAsk,
  name: string,
  places: { before?: string; after?: string } = {},
): Created {
  return commitOrLeave<Created>(db, TICKETS.id, name, places, (leave) => {
    const { tenant, key, action, now, maker } = ask;
    const { keys } = terms(db);
    const known = keys
      ? (db.prepare(`SELECT ${COLUMNS} FROM tickets WHERE tenant = ? AND key = ?`).get(tenant, key) as
          | Ticket
          | undefined)
      : undefined;
    if (known) {
      return leave(equalContent(known, action) ? { ticket: known.id, made: false } : { conflict: known.id });
    }
    const { source, title } = action;
    const id = Number(
      db
        .prepare(
          `INSERT INTO tickets (tenant, key, source, title, status, created_at) VALUES (?, ?, ?, ?, 'open', ?)`,
        )
        .run(tenant, keys ? key : null, source, title, now).lastInsertRowid,
    );
    observe(db, id, maker, 'null', { id, tenant, source, title, status: 'open' });
    return { ticket: id, made: true };
  });
}

export type Voided = 'void' | 'void-already' | 'in_review' | 'missing';

/** Voids a ticket in one commit. One that somebody is working on is not voided; a void one stays as it is. */
export function voidTicket(
  db: Db,
  ask: { tenant: string; key: string; ticket: number; maker: Maker },
  places: { before: string; after: string },
): Voided {
  return commitOrLeave<Voided>(db, TICKETS.id, 'void', places, (leave) => {
    const { tenant, key, ticket, maker } = ask;
    const found = ticketById(db, tenant, ticket);
    if (!found) return leave('missing');
    if (found.status !== 'open') return leave(found.status === 'void' ? 'void-already' : 'in_review');
    db.prepare("UPDATE tickets SET status = 'void' WHERE id = ?").run(ticket);
    db.prepare('INSERT INTO voids (tenant, key, ticket) VALUES (?, ?, ?)').run(
      tenant,
      terms(db).keys ? key : null,
      ticket,
    );
    observe(db, ticket, maker, content(found), { ...found, status: 'void' });
    return 'void';
  });
}

/** Another client begins to work on a ticket. @returns false where it is not open, and nothing is changed */
export function takeTicket(db: Db, tenant: string, ticket: number): boolean {
  return commitOrLeave<boolean>(db, TICKETS.id, 'take', {}, (leave) => {
    const found = ticketById(db, tenant, ticket);
    if (found?.status !== 'open') return leave(false);
    db.prepare("UPDATE tickets SET status = 'in_review' WHERE id = ?").run(ticket);
    observe(db, ticket, { operation: null, actor: 'another-client' }, content(found), {
      ...found,
      status: 'in_review',
    });
    return true;
  });
}
