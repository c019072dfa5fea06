/** The lab's commands, as an executor runs them. Loads no Zod, no YAML and no manifest. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundary } from '../../boundary/boundary.ts';
import { DrillError, EXIT } from '../../core/errors.ts';
import { existsSync, readFileSync, rmSync } from '../../core/fs.ts';
import type { JsonObject } from '../../core/json.ts';
import { createDatabase, translate } from '../../sqlite/open.ts';
import type { Command, Commands, Context, Outcome } from '../child.ts';
import { dispatchKey } from './dispatch.ts';
import { checkDelivery, type Delivery, receive, removeOrphans } from './receiving.ts';
import { conflict, neverEnqueued, notClaimed, payloadCorrupt, receiptCorrupt, refused } from './replies.ts';
import { recover, resolve } from './resolve.ts';
import { claimRow, enqueueIntent, outboxRow } from './sender.ts';
import { meaning, ticketOf } from './standing.ts';
import { fileOf, openStore, readStore, STORES } from './stores.ts';
import {
  clockFault,
  DEFAULT_CALLER,
  DEFAULT_KEY,
  DEFAULT_PAYLOAD,
  DEFAULT_WISH,
  mailOf,
  nameFault,
  parseOrText,
  RECEIVERS,
  refundOf,
} from './terms.ts';

const here = dirname(fileURLToPath(import.meta.url));
const DEADLINE_MS = 10_000;

const defaults: JsonObject = {
  key: DEFAULT_KEY,
  caller: DEFAULT_CALLER,
  payload: DEFAULT_PAYLOAD,
  mode: 'idempotent',
  receiver: 'honest',
  wish: DEFAULT_WISH,
  deadlineMs: DEADLINE_MS,
};

/** Fills in defaults and checks the bounds that every command shares; the parent's check is not relied upon. */
function checked(command: Command): Command {
  return (context) => {
    const args = { ...defaults, ...context.args };
    const faults = [
      ['clock', clockFault(context.now)],
      ['key', nameFault(args.key)],
      ['wish', nameFault(args.wish)],
      [
        'receiver',
        RECEIVERS.includes(args.receiver as never) ? null : `must be one of ${RECEIVERS.join(', ')}`,
      ],
    ] as const;
    for (const [name, fault] of faults) if (fault) throw new DrillError('malformed', `The ${name} ${fault}.`);
    try {
      // Not spread: the clock is read anew at each use.
      return command(Object.assign(Object.create(context) as Context, { args }));
    } catch (error) {
      // Reads outside a commit meet damaged files too.
      throw translate(error);
    }
  };
}

function delivery({ args, now }: Context): Delivery {
  const { caller, key, mode, payload } = args;
  const value = { caller, key, mode, payload, now, attempt: 0 } as unknown as Delivery;
  checkDelivery(value);
  return value;
}

function init({ dir }: Context): Outcome {
  const there = STORES.filter(({ id }) => existsSync(fileOf(dir, id))).map(({ file }) => file);
  if (there.length > 0) {
    throw new DrillError(
      'would-overwrite',
      `Already there: ${there.join(', ')}. Everything was left as it is.`,
    );
  }
  const made: string[] = [];
  try {
    for (const { id } of STORES) {
      createDatabase(fileOf(dir, id), readFileSync(join(here, 'schema', `${id}.sql`), 'utf8')).close();
      made.push(fileOf(dir, id));
    }
  } catch (error) {
    // Another init was first, or the disk is full: a lab with some of its stores would be neither there nor not.
    for (const file of made) rmSync(file, { force: true });
    throw error;
  }
  return { exit: EXIT.done, reply: { status: 'initialized', stores: STORES.map(({ file }) => file) } };
}

function enqueue(context: Context): Outcome {
  const { caller, key, mode, payload, now } = delivery(context);
  const mail = context.args.mail === true;
  const wish = context.args.wish as string;
  const fault = mail ? nameFault(mailOf(key)) : null;
  if (fault) throw new DrillError('malformed', `The key with ":mail" behind it ${fault}.`);
  const db = openStore(context.dir, 'sender');
  boundary('before-intent');
  const result = enqueueIntent(db, { key, caller, mode, payload, mail, wish }, now, context.without);
  if (result.kind === 'conflict')
    return conflict(`The key "${key}" is known with another ${result.differs}.`);
  return {
    exit: EXIT.done,
    reply: { status: result.kind === 'accepted' ? 'accepted' : 'already_accepted', key },
  };
}

/** A compensation is an operation of its own: recorded, sent, acknowledged and counted like any other. */
function compensate(context: Context): Outcome {
  const key = context.args.key as string;
  const fault = nameFault(refundOf(key));
  if (fault) throw new DrillError('malformed', `The key with ":refund" behind it ${fault}.`);
  const db = openStore(context.dir, 'sender');
  const row = outboxRow(db, key);
  if (!row) return neverEnqueued(key);
  const ticket = ticketOf(row.response) ?? row.decision?.ticket ?? null;
  if (meaning(row).effect !== 'confirmed' || ticket === null) {
    return refused(`The effect of "${key}" is not confirmed; there is nothing of its own to reverse.`);
  }
  const { caller, mode } = row;
  const payload = { title: 'Refund', body: `Reverses ticket ${ticket}.` };
  const intent = { key: refundOf(key), caller, mode, payload, wish: `refund of ticket ${ticket}` };
  boundary('before-intent');
  const { kind } = enqueueIntent(db, intent, context.now, context.without);
  const status = kind === 'accepted' ? 'accepted' : 'already_accepted';
  return { exit: EXIT.done, reply: { status, key: intent.key } };
}

function claim(context: Context): Outcome {
  const key = context.args.key as string;
  const db = openStore(context.dir, 'sender');
  boundary('before-claim');
  const claimed = claimRow(db, key, context.now, context.without);
  if (claimed.kind === 'never-enqueued') return neverEnqueued(key);
  if (claimed.kind === 'corrupt') return payloadCorrupt(claimed.fault);
  if (claimed.kind === 'not-claimed') return notClaimed(claimed.row, claimed.expired);
  const { attempts, lease } = claimed.job;
  return { exit: EXIT.done, reply: { status: 'claimed', attempt: attempts, lease } };
}

/** A delivery by hand: whoever calls this bypasses the sender's record, its lease and its `unknown`. */
function receiveDirectly(context: Context): Outcome {
  const result = receive(context.dir, delivery(context), context.without);
  if (result.kind === 'conflict') return conflict(result.message);
  if (result.kind === 'corrupt') return receiptCorrupt(result.message);
  const status = result.kind === 'new' ? 'received' : 'already_received';
  return {
    exit: EXIT.done,
    reply: {
      status,
      response: { ...result.response },
      effect: 'confirmed',
      decision: 'none',
      retryable: false,
    },
  };
}

/** Another program's collector of orphans: it reads the sender's record and removes what that does not name. */
function sweep(context: Context): Outcome {
  const db = openStore(context.dir, 'sender');
  // Missing from the record is what a ticket looks like between its commit and its acknowledgement, too.
  const spares = !context.without.has('sweep-spares-open-work');
  const names = (caller: string, key: string, ticket: number): boolean => {
    const row = outboxRow(db, key);
    if (!row || row.caller !== caller) return false;
    return spares || ticketOf(row.response) === ticket;
  };
  const removed = removeOrphans(context.dir, names, context.now);
  return { exit: EXIT.done, reply: { status: 'swept', removed } };
}

function snapshot({ dir, args }: Context): Outcome {
  const [sender, receiver, external] = STORES.map(({ id }) => readStore(dir, id));
  if (!sender || !receiver || !external) throw new DrillError('defect', 'The lab has three stores.');
  const count = (db: typeof sender, table: string) =>
    (db.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
  const row = outboxRow(sender, args.key as string);
  return {
    exit: EXIT.done,
    reply: {
      status: 'snapshot',
      intent_rows: count(sender, 'requests'),
      sender_state: row?.state ?? 'absent',
      attempts: row?.attempts ?? 0,
      response: parseOrText(row?.response ?? null),
      receiver_tickets: count(receiver, 'tickets'),
      receiver_receipts: count(receiver, 'receipts'),
      external_tickets: count(external, 'tickets'),
    },
  };
}

export const commands: Commands = {
  init: checked(init),
  enqueue: checked(enqueue),
  compensate: checked(compensate),
  claim: checked(claim),
  dispatch: checked(dispatchKey),
  recover: checked(recover),
  resolve: checked(resolve),
  receive: checked(receiveDirectly),
  sweep: checked(sweep),
  snapshot: checked(snapshot),
};
