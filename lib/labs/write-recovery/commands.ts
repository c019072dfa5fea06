/** The lab's commands, as executors load them. */
import type { JsonObject } from '../../core/json.ts';
import type { Command, Commands } from '../child.ts';
import { refusal } from './answer.ts';
import { makeApproval } from './approval.ts';
import { compensate } from './compensate.ts';
import {
  readAction,
  readApproval,
  readContext,
  readName,
  readRunInput,
  readServiceTerms,
  readWhole,
} from './input.ts';
import { type RunRow, readRun } from './record.ts';
import { type Conclusion, resolve } from './resolve.ts';
import { operationKey, submit } from './run.ts';
import { createTicket, equalContent, lookUp, takeTicket, terms } from './service.ts';
import { createStores, readStores, withWork } from './stores.ts';
import { DEFAULT_CONTEXT, DEFAULT_RUN, FINAL, keeps, operationId, ticketName } from './words.ts';

const runName = (args: JsonObject): string => readName(args.run ?? DEFAULT_RUN, '"run"');

const init: Command = ({ dir, args }) => {
  const published = readServiceTerms(args);
  createStores(dir, published);
  return { exit: 0, reply: { status: 'created', ...published } };
};

const approve: Command = ({ args }) => ({
  exit: 0,
  reply: makeApproval(readContext(args.context), runName(args), readAction(args.action)),
});

const run: Command = (context) => {
  const input = readRunInput(context.args);
  return withWork(context, (work) => submit(work, input));
};

/** A dispatch without an end on record: "not found" is no proof of absence while its worker may live. */
const mayStillCome = (row: RunRow | null): boolean =>
  row !== null && row.attempts > 0 && !FINAL.includes(row.state);

/** Reads and writes nothing, under any policy: a denial must not hide an effect that exists. */
const lookup: Command = ({ dir, args, now, without }) => {
  const { tenant } = readContext(args.context);
  const name = runName(args);
  const asked = readAction(args.action);
  return readStores(dir, ({ runs, tickets }) => {
    const row = readRun(runs, tenant, name);
    const key = operationKey(name, Math.max(1, row?.attempts ?? 1), without);
    const ticket = lookUp(tickets, { tenant, key, action: row?.action ?? asked, now });
    const operation = operationId(tenant, name, 'ticket');
    if (ticket) {
      const { id, source, title, status } = ticket;
      const found = { operation, ticket: ticketName(id), source, title, ticketStatus: status };
      if (equalContent(ticket, row?.action ?? asked)) {
        const dispatched = row !== null && row.dispatchedAt !== null && terms(tickets).keys;
        if (row?.ticket === id || dispatched || !keeps(without, 'ownership-needs-dispatch'))
          return { exit: 0, reply: { status: 'found', ...found, effect: 'confirmed' } };
        const message = `${ticketName(id)} is equal; nothing recorded says that this run made it.`;
        const open = { effect: 'unknown', decision: 'investigate', retryable: false } as const;
        return { exit: 2, reply: { status: 'found', ...found, ...open, definite: true, message } };
      }
      const message = `${ticketName(id)} has this operation's key and other content: it is not what was asked for.`;
      const open = { effect: 'unknown', decision: 'investigate', retryable: false } as const;
      return {
        exit: 2,
        reply: { status: 'found-other-content', ...found, ...open, definite: true, message },
      };
    }
    const sure = row?.sureFrom == null || now >= row.sureFrom;
    if (sure && mayStillCome(row)) {
      const message =
        'A worker was dispatched, and nothing says that it has ended: its ticket may still come.';
      const open = { effect: 'unknown' as const, decision: 'reconcile' as const, definite: true };
      return { exit: 2, reply: { status: 'not-found', operation, ticket: null, ...open, message } };
    }
    if (sure) return { exit: 0, reply: { status: 'not-found', operation, ticket: null, effect: 'absent' } };
    const message = `"Not found" proves nothing before tick ${row.sureFrom}: the look-up lags.`;
    const open = { effect: 'unknown' as const, decision: 'reconcile' as const, definite: true };
    return { exit: 2, reply: { status: 'not-found-yet', operation, ticket: null, ...open, message } };
  });
};

const create: Command = (context) => {
  const { args, now } = context;
  const tenant = readName(args.tenant ?? DEFAULT_CONTEXT.tenant, '"tenant"');
  const key = readName(args.key, '"key"');
  const action = readAction(args.action);
  return withWork(context, ({ tickets }) => {
    const maker = { operation: null, actor: 'another-client' };
    const created = createTicket(tickets, { tenant, key, action, now, maker }, 'create');
    if ('conflict' in created) {
      const ticket = ticketName(created.conflict);
      return refusal('operation-conflict', `${ticket} has this key and other content.`, { ticket });
    }
    return {
      exit: 0,
      reply: { status: created.made ? 'created' : 'known', ticket: ticketName(created.ticket) },
    };
  });
};

const take: Command = (context) => {
  const tenant = readName(context.args.tenant ?? DEFAULT_CONTEXT.tenant, '"tenant"');
  const ticket = readWhole(context.args.ticket ?? 1, '"ticket"', 1, Number.MAX_SAFE_INTEGER);
  return withWork(context, ({ tickets }) => {
    if (takeTicket(tickets, tenant, ticket))
      return { exit: 0, reply: { status: 'taken', ticket: ticketName(ticket) } };
    return refusal('not-open', `${ticketName(ticket)} of ${tenant} is not open.`);
  });
};

const compensateCommand: Command = (context) => {
  const { args } = context;
  const input = {
    context: readContext(args.context),
    run: runName(args),
    approval: readApproval(args.approval),
  };
  return withWork(context, (work) => compensate(work, input));
};

const text = (value: unknown): string => String(value ?? '');

const resolveCommand: Command = (context) => {
  const { operation, conclusion, reference, looked, showed, by } = context.args;
  const number = /^ticket-(\d{1,15})$/.exec(text(reference))?.[1];
  const input = {
    operation: text(operation),
    conclusion: conclusion as Conclusion,
    ticket: number === undefined ? null : Number(number),
    looked: text(looked),
    showed: text(showed),
    by: text(by),
  };
  return withWork(context, (work) => resolve(work, input));
};

const inspect: Command = async ({ dir }) => {
  readStores(dir, () => undefined);
  // Loaded here alone: no other command reads evidence, and each pays for what it loads.
  const { inspection } = await import('./evidence.ts');
  return { exit: 0, reply: { status: 'inspected', ...inspection(dir) } };
};

export const commands: Commands = {
  init,
  approve,
  run,
  lookup,
  create,
  take,
  compensate: compensateCommand,
  resolve: resolveCommand,
  inspect,
};
