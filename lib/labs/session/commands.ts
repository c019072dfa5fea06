/** The lab's commands, as executors load them. The protocol library is loaded by `converse` alone. */

import { join } from 'node:path';
import { boundary } from '../../boundary/boundary.ts';
import { DrillError } from '../../core/errors.ts';
import { existsSync } from '../../core/fs.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Command, Commands, Outcome } from '../child.ts';
import type { Action } from './conversation.ts';
import { createLedger } from './ledger.ts';
import { reconcile } from './reconcile.ts';
import { resolve } from './resolve.ts';
import { createService, createTicket, isUntouchedService, openService, updateDocument } from './service.ts';
import { CLIENT, type Conclusion, DOCUMENT, decisionAbout, SERVICE, TOOL } from './words.ts';

const text = (args: JsonObject, name: string): string => {
  const value = args[name];
  if (typeof value !== 'string') throw new DrillError('malformed', `${name} is not a text.`);
  return value;
};

const init: Command = ({ dir }) => {
  const there = (file: string) => existsSync(join(dir, file));
  // Left by an init that died between its two files. An untouched service proves that no record of a call is lost.
  const half = there(SERVICE.file) && !there(CLIENT.file) && isUntouchedService(dir);
  if (!half && there(CLIENT.file)) {
    throw new DrillError('would-overwrite', 'A database is already there; it was left as it is.');
  }
  if (!half) createService(dir);
  createLedger(dir);
  return { exit: 0, reply: { status: 'created', document: DOCUMENT, version: 1 } };
};

const converseCommand: Command = async ({ dir, args, without }): Promise<Outcome> => {
  if (!Array.isArray(args.actions)) throw new DrillError('malformed', 'actions is not a list.');
  const { converse } = await import('./conversation.ts');
  const { reasons, ...found } = await converse(dir, without, args.actions as unknown as Action[]);
  if (found.uncertain.length > 0) {
    const decision = decisionAbout(reasons);
    const conclusion = { effect: 'unknown', decision, retryable: decision === 'retry-same-key' } as const;
    return { exit: 2, reply: { status: 'uncertain', ...conclusion, ...found } };
  }
  const refusals = Object.values(found.outcomes).filter((one) => isObject(one) && one.status === 'refused');
  // Connections and messages are in the log by now; `definite` is said of each refused action.
  if (refusals.length > 0) return { exit: 3, reply: { status: 'refused', definite: false, ...found } };
  return { exit: 0, reply: { status: 'done', ...found } };
};

const reconcileCommand: Command = ({ dir, args, without }) =>
  reconcile(dir, without, text(args, 'operation'));

const resolveCommand: Command = ({ dir, args, without }) =>
  resolve(dir, without, text(args, 'operation'), {
    conclusion: text(args, 'conclusion') as Conclusion,
    reference: typeof args.reference === 'number' ? args.reference : null,
    looked: text(args, 'looked'),
    showed: text(args, 'showed'),
    by: text(args, 'by'),
  });

const updateCommand: Command = ({ dir, args, without }) => {
  const db = openService(dir);
  try {
    const expected = typeof args.expected === 'number' ? args.expected : null;
    const operation = text(args, 'operation');
    const found = updateDocument(db, { operation, body: text(args, 'body'), expected }, without);
    if (found.status === 'operation-conflict') {
      const message = `${operation} was accepted before with another text; nothing was written.`;
      const refusal = { ...found, operation, accepted: false, definite: true, message } as const;
      return { exit: 3, reply: { ...refusal, effect: 'absent', decision: 'none', retryable: false } };
    }
    if (found.status === 'stale-version') {
      const reply = {
        ...found,
        accepted: false,
        definite: true,
        effect: 'absent',
        decision: 'none',
      } as const;
      return { exit: 3, reply: { ...reply, operation, retryable: false } };
    }
    const reply = { ...found, operation, accepted: true, effect: 'confirmed', decision: 'none' } as const;
    return { exit: 0, reply: { ...reply, retryable: false } };
  } finally {
    db.close();
  }
};

const createCommand: Command = ({ dir, args, without }) => {
  const db = openService(dir);
  try {
    const [key, source, title] = [text(args, 'operation'), text(args, 'source'), text(args, 'title')];
    boundary('before-direct-ticket');
    const actor = 'another-client';
    const boundaries = { before: 'before-direct-ticket-commit', after: 'after-direct-ticket' };
    const found = createTicket(db, { key, tool: TOOL, source, title, actor, boundaries }, without);
    if (found.status === 'operation-conflict') {
      const message = `${key} was used before with other parameters; nothing was made.`;
      return { exit: 3, reply: { status: found.status, operation: key, message, definite: true } };
    }
    return { exit: 0, reply: { status: found.status, operation: key, ticket: found.ticket.id } };
  } finally {
    db.close();
  }
};

const inspect: Command = async ({ dir }) => {
  openService(dir).close();
  const { inspection } = await import('./evidence.ts');
  return { exit: 0, reply: { status: 'inspected', ...inspection(dir) } };
};

export const commands: Commands = {
  init,
  converse: converseCommand,
  reconcile: reconcileCommand,
  resolve: resolveCommand,
  'update-document': updateCommand,
  'create-ticket': createCommand,
  inspect,
};
