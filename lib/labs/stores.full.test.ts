/** A store that is gone, empty, or somebody else's is never taken for an empty one (README.md of each lab, "Exit codes"). */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import type { JsonObject } from '../core/json.ts';
import { databaseDir } from '../drill/engine.ts';
import { scenariosOf } from '../drill/scenario.ts';
import { runCase } from '../testing/case.ts';
import { LabTrial } from '../testing/lab-trial.ts';
import { tempDir } from '../testing/temp-dir.ts';
import type { Lab } from './contract.ts';
import { getLab, labs } from './registry.ts';

const PROPOSAL = { proposal: '$plan', approve: true };
const CALL = [{ do: 'connect' }];

/** A command of each lab that needs the store. */
const NEEDS: Record<string, { command: string; args: JsonObject }> = {
  'receipt/lab': { command: 'run', args: PROPOSAL },
  'outbox/sender': { command: 'dispatch', args: {} },
  'outbox/receiver': { command: 'receive', args: {} },
  'outbox/external': { command: 'snapshot', args: {} },
  'write-recovery/runs': { command: 'run', args: {} },
  'write-recovery/tickets': { command: 'run', args: {} },
  'session/service': { command: 'update-document', args: {} },
  'session/client': { command: 'converse', args: { actions: CALL } },
};

const SPOILED: Record<string, (file: string) => void> = {
  'an empty file': (file) => writeFileSync(file, ''),
  'a text': (file) => writeFileSync(file, 'not a database, '.repeat(100)),
  'a database of another program': (file) => {
    const db = new Database(file);
    db.exec("CREATE TABLE photos (name TEXT); INSERT INTO photos VALUES ('cat')");
    db.close();
  },
  'a folder': (file) => mkdirSync(file),
};

async function begun(t: TestContext, lab: Lab): Promise<LabTrial> {
  const run = new LabTrial(lab, tempDir(t));
  t.after(() => run.dispose());
  await run.step({ label: 'init', command: 'init' });
  if (lab.id === 'receipt') await run.step({ label: 'plan', command: 'plan', saves: 'plan' });
  if (lab.id === 'outbox') await run.step({ label: 'enqueue', command: 'enqueue' });
  return run;
}

function spoil(run: LabTrial, file: string, how: (path: string) => void): string {
  const path = join(databaseDir(run.dir), file);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  how(path);
  return path;
}

for (const lab of labs) {
  for (const store of lab.stores) {
    const need = NEEDS[`${lab.id}/${store.id}`];
    for (const [what, how] of Object.entries(SPOILED)) {
      test(`${lab.id}: ${what} in the place of ${store.file} is 66, and stays as it is`, async (t) => {
        assert.ok(need, 'each store has a command that needs it');
        const run = await begun(t, lab);
        const path = spoil(run, store.file, how);
        const before = what === 'a folder' ? null : readFileSync(path);
        const record = await run.step({ label: 'spoiled', ...need });
        const [end] = record.executors;
        assert.equal(end?.code, 66, JSON.stringify(end));
        assert.deepEqual([end?.reply?.error, end?.reply?.definite], ['not-a-database', true]);
        if (before) assert.deepEqual(readFileSync(path), before);
        const found = record.evidence?.integrity.find((one) => one.store === store.id);
        assert.equal(found?.quickCheck, 'unreadable');
      });
    }
  }
}

for (const lab of labs) {
  test(`${lab.id}: every panel with rows of a store is among those that the store names`, async (t) => {
    const known = (store: string, panel: string) =>
      lab.stores.some(({ id, panels }) => id === store && panels.some((one) => one === panel));
    for (const { id } of scenariosOf(lab.id).slice(0, 3)) {
      for (const { evidence } of (await runCase(t, id)).records) {
        for (const { id: panel, rows } of evidence?.panels ?? [])
          for (const { store } of rows) assert.ok(known(store, panel), `${id}: ${panel} from ${store}`);
      }
    }
  });
}

for (const [what, how] of Object.entries(SPOILED)) {
  test(`a receiver that finds ${what} in the place of its store has refused: the sender is blocked`, async (t) => {
    const run = await begun(t, getLab('outbox'));
    spoil(run, 'receiver.sqlite', how);
    const { executors } = await run.step({ label: 'sent', command: 'dispatch' });
    assert.equal(executors[0]?.code, 2, JSON.stringify(executors[0]));
    assert.deepEqual([executors[0]?.reply?.status, executors[0]?.reply?.state], ['blocked', 'blocked']);
  });
}
