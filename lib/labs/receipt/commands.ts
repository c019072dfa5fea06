/** The lab's commands, as executors load them. */
import { join } from 'node:path';
import { commit } from '../../sqlite/open.ts';
import type { Command, Commands, Context } from '../child.ts';
import { creates, readStore, refusal } from '../kit/child.ts';
import { checkOperation, makeProposal, readProposal } from './proposal.ts';
import { recover } from './recover.ts';
import { resolve } from './resolve.ts';
import { submit } from './run.ts';
import { changeTarget, readTarget, withLab } from './store.ts';
import { keeps, LAB, OPERATION, STORE } from './words.ts';

const operationOf = ({ args }: Context): string => checkOperation(args.operation ?? OPERATION);

const init: Command = creates(LAB, join(import.meta.dirname, 'schema.sql'));

const plan: Command = (context) => {
  const { version } = readStore(context.dir, LAB, readTarget);
  return { exit: 0, reply: makeProposal(operationOf(context), version, context.args.value !== false) };
};

const run: Command = ({ dir, args, without }) => {
  const proposal = readProposal(args.proposal);
  if (args.approve !== true && keeps(without, 'review')) {
    return refusal('not-approved', 'The proposal was not approved; nothing was written.', {
      operation: proposal.operation,
    });
  }
  return withLab(dir, without, (work) => submit(work, proposal));
};

const recoverCommand: Command = (context) =>
  withLab(context.dir, context.without, (work) => recover(work, operationOf(context)));

const resolveCommand: Command = (context) =>
  withLab(context.dir, context.without, (work) => resolve(work, operationOf(context), context.args));

const drift: Command = ({ dir, args, without }) =>
  withLab(dir, without, ({ db }) => {
    const value = args.value === true;
    const version = commit(db, STORE, 'drift', {}, () =>
      changeTarget(db, { operation: null, actor: 'another-actor', value }),
    );
    return { exit: 0, reply: { status: 'changed', version, value } };
  });

const forget: Command = (context) =>
  withLab(context.dir, context.without, ({ db }) => {
    const operation = operationOf(context);
    const deleted = commit(db, STORE, 'forgetting', {}, () => ({
      operations: db.prepare('DELETE FROM operations WHERE operation = ?').run(operation).changes,
      receipts: db.prepare('DELETE FROM receipts WHERE operation = ?').run(operation).changes,
    }));
    if (deleted.operations + deleted.receipts === 0) {
      return refusal('nothing-recorded', `There is no record of ${operation} to delete.`, { operation });
    }
    return { exit: 0, reply: { status: 'forgotten', operation, deleted } };
  });

const inspect: Command = async ({ dir }) => {
  readStore(dir, LAB, () => undefined);
  // Loaded here alone: no other command reads evidence, and each pays for what it loads.
  const [{ inspection }, { evidence }] = await Promise.all([
    import('../kit/evidence.ts'),
    import('./panels.ts'),
  ]);
  return { exit: 0, reply: { status: 'inspected', ...inspection(evidence, dir) } };
};

export const commands: Commands = {
  init,
  plan,
  run,
  recover: recoverCommand,
  resolve: resolveCommand,
  drift,
  forget,
  inspect,
};
