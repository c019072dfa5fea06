import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import Database from 'better-sqlite3';
import { projectRoot } from '#lib/core/project-root.ts';
import { dumpSchema, migrate, readMigrations, schemaVersion } from './migrate.ts';
import { closeStore, store } from './open.ts';
import { insertRun, markDeleting, type NewRun, pageOfRuns, totalsOfRuns, updateSummary } from './runs.ts';

const folder = join(projectRoot(), 'db', 'migrations');
const base = mkdtempSync(join(tmpdir(), 'drill-store-'));
let failed = false;
after(() => {
  if (failed) process.stderr.write(`Kept: ${base}\n`);
  else rmSync(base, { recursive: true });
});

const newRun = (id: string, lab: string): NewRun => ({
  id,
  lab,
  scenario: `${lab}/x`,
  definition: '{}',
  title: 'x',
  without: '[]',
  faithful: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  origin_run: null,
  origin_label: null,
  steps_total: 3,
  judgement: '{}',
});

/** A test whose directory stays when it fails. */
function storeTest(name: string, work: (dir: string) => void): void {
  test(name, () => {
    const dir = mkdtempSync(join(base, 'd-'));
    try {
      work(dir);
    } catch (error) {
      failed = true;
      throw error;
    } finally {
      closeStore(dir);
    }
  });
}

test('the migrations give the schema that is committed as schema.sql', () => {
  const db = new Database(':memory:');
  migrate(db, readMigrations(folder));
  assert.equal(dumpSchema(db), readFileSync(join(projectRoot(), 'db', 'schema.sql'), 'utf8'));
  db.close();
});

storeTest(
  'a store is opened with WAL, FULL and foreign keys, and opening it twice is one connection',
  (dir) => {
    const db = store(dir);
    assert.equal(db.pragma('journal_mode', { simple: true }), 'wal');
    assert.equal(db.pragma('synchronous', { simple: true }), 2);
    assert.equal(db.pragma('foreign_keys', { simple: true }), 1);
    assert.equal(store(dir), db);
  },
);

storeTest('a store of a newer schema is refused in one sentence and left as it is', (dir) => {
  const db = store(dir);
  db.prepare("INSERT INTO schema_version (version, name) VALUES (999, 'from-the-future')").run();
  closeStore(dir);
  assert.throws(
    () => store(dir),
    (error: Error & { code: string }) => error.code === 'refused' && /schema 999/.test(error.message),
  );
  const raw = new Database(join(dir, 'dashboard.sqlite'));
  assert.equal(schemaVersion(raw), 999);
  raw.close();
});

storeTest('a data directory that cannot be made is named, with what to do', (dir) => {
  writeFileSync(join(dir, 'file'), '');
  assert.throws(
    () => store(join(dir, 'file', 'data')),
    (error: Error & { code: string }) =>
      error.code === 'unavailable' && /set DRILL_DATA_DIR/.test(error.message),
  );
});

storeTest('a process killed inside a migration leaves neither the migration nor its version', (dir) => {
  const data = join(dir, 'data');
  const control = join(dir, 'control');
  mkdirSync(control);
  writeFileSync(
    join(control, 'faults.json'),
    JSON.stringify([{ at: 'before-migration-commit', hit: 2, role: 'executor', action: 'kill' }]),
  );
  const open = (env: Record<string, string>) =>
    spawnSync(process.execPath, ['-e', `import('${projectRoot()}/db/open.ts').then((m) => m.store())`], {
      env: { PATH: process.env.PATH, DRILL_DATA_DIR: data, ...env } as unknown as NodeJS.ProcessEnv,
      encoding: 'utf8',
    });
  assert.equal(open({ DRILL_CONTROL: control }).signal, 'SIGKILL');
  const raw = new Database(join(data, 'dashboard.sqlite'));
  assert.equal(schemaVersion(raw), 1);
  assert.equal(
    raw.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'investigations'").pluck().get(),
    0,
    'the killed migration left a table',
  );
  raw.close();
  const again = open({});
  assert.equal(again.status, 0, again.stderr);
  const sound = new Database(join(data, 'dashboard.sqlite'));
  assert.equal(dumpSchema(sound), readFileSync(join(projectRoot(), 'db', 'schema.sql'), 'utf8'));
  assert.equal(sound.pragma('integrity_check', { simple: true }), 'ok');
  sound.close();
});

storeTest('the kept totals equal a count of the rows after inserts, updates, deletions', (dir) => {
  const db = store(dir);
  for (let index = 0; index < 40; index += 1) {
    insertRun(db, newRun(`run-${index}`, index % 2 ? 'receipt' : 'outbox'));
    if (index % 3 === 0) {
      updateSummary(db, {
        id: `run-${index}`,
        steps_done: 3,
        finished: 1,
        verdict: index % 4 ? 'holds' : 'violated',
        effect: 'confirmed',
        decision: 'reconcile',
        disk_bytes: 1000 + index,
        holding: '[]',
        judgement: '{}',
      });
    }
    if (index % 5 === 0) markDeleting(db, `run-${index}`);
  }
  db.prepare("DELETE FROM runs WHERE id IN ('run-5', 'run-6', 'run-7')").run();
  for (const lab of ['receipt', 'outbox']) {
    for (const verdict of ['holds', 'violated', 'unknown'] as const) {
      const counted = db
        .prepare(
          'SELECT count(*) AS runs, coalesce(sum(disk_bytes), 0) AS diskBytes FROM runs WHERE deleting = 0 AND lab = ? AND verdict = ?',
        )
        .get(lab, verdict);
      assert.deepEqual(totalsOfRuns(db, { lab, verdict }), counted, `${lab}, ${verdict}`);
    }
  }
  assert.equal(pageOfRuns(db, {}, 100, 0).length, totalsOfRuns(db, {}).runs);
});

storeTest('no statement of a list or of the catalogue scans or sorts the runs', (dir) => {
  const db = store(dir);
  const plan = (sql: string, ...values: unknown[]) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[])
      .map((row) => row.detail)
      .join('; ');
  const order = 'ORDER BY created_at DESC, id DESC LIMIT 50';
  for (const where of ['', "AND lab = 'x'", "AND verdict = 'holds'"]) {
    const detail = plan(`SELECT * FROM runs WHERE deleting = 0 ${where} ${order}`);
    assert.match(detail, /USING INDEX runs_by_/);
    assert.doesNotMatch(detail, /TEMP B-TREE/);
  }
  const latest = plan(
    'SELECT decision FROM runs WHERE scenario = ? AND finished = 1 AND faithful = 1 AND deleting = 0 ORDER BY created_at DESC LIMIT 1',
    'x',
  );
  assert.match(latest, /SEARCH runs USING INDEX runs_by_scenario/);
  assert.doesNotMatch(latest, /TEMP B-TREE/);
});

storeTest('a store of 0.1.0 is refused in one sentence that says so, and left as it is', (dir) => {
  mkdirSync(dir, { recursive: true });
  const old = new Database(join(dir, 'dashboard.sqlite'));
  old.exec(
    "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT); INSERT INTO schema_version VALUES (4, 'x')",
  );
  old.close();
  assert.throws(
    () => store(dir),
    (error: Error & { code: string }) =>
      error.code === 'refused' && /^Version 0\.1\.0 wrote this data directory/.test(error.message),
  );
});
