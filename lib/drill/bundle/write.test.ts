import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../../core/project-root.ts';
import { labs } from '../../labs/registry.ts';
import { openDatabase } from '../../sqlite/open.ts';
import { runCase } from '../../testing/case.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { databaseDir } from '../engine.ts';
import type { StepRecord } from '../model.ts';
import { scenariosOf } from '../scenario.ts';
import { readArchive } from './archive.ts';
import { JOURNAL, type Journal, MANIFEST, type Manifest, REPORT_HTML, REPORT_MD, SCENARIO } from './model.ts';
import { readBundle } from './read.ts';
import { hidePaths } from './scrub.ts';
import { makeBundle } from './write.ts';

const SECRET = 'correct-horse-battery-staple';

test('a bundle holds manifest, scenario, journal, databases and reports, and can be read again', async (t) => {
  const zip = await makeBundle(await runCase(t, 'receipt/lost-ack'));
  const files = await readArchive(zip);
  for (const name of [MANIFEST, SCENARIO, JOURNAL, REPORT_MD, REPORT_HTML, 'databases/lab.sqlite'])
    assert.ok(files.has(name), name);
  assert.ok(files.has('databases/raw/3-crashed/lab.sqlite-wal'), 'as it lay after the crash');
  const bundle = await readBundle(zip);
  assert.equal(bundle.journal.verdict, 'holds');
  assert.equal(bundle.journal.steps[2]?.record.evidence?.panels[0].rows[0]?.cells.status, 'pending');
  assert.equal(bundle.journal.steps[3]?.record.evidence?.panels[0].rows[0]?.cells.status, 'reconciled');
});

test('both reports say of a store that is gone that it is, and count nothing in it', async (t) => {
  const files = await readArchive(await makeBundle(await runCase(t, 'receipt/database-deleted')));
  for (const name of [REPORT_MD, REPORT_HTML]) {
    const report = String(files.get(name)).replaceAll('\\', '');
    assert.match(report, /After: lab\.sqlite is missing, and a store that is missing is not an empty one\./);
    assert.match(report, /records not known; target rows not known; receipts not known; events not known/);
    assert.match(report, /Not known: lab\.sqlite is missing/, 'what really happened');
    assert.doesNotMatch(report, /never changed|No rows, before and after|[| ]removed[ |]|− removed/);
  }
});

test('the database in a bundle is one sound file with everything that was committed', async (t) => {
  const files = await readArchive(await makeBundle(await runCase(t, 'receipt/lost-ack')));
  const dir = tempDir(t);
  writeFileSync(join(dir, 'lab.sqlite'), files.get('databases/lab.sqlite') as Buffer);
  const db = openDatabase(join(dir, 'lab.sqlite'));
  assert.deepEqual(db.prepare('SELECT status FROM operations').all(), [{ status: 'reconciled' }]);
  assert.deepEqual(db.pragma('integrity_check'), [{ integrity_check: 'ok' }]);
  db.close();
});

test('the same run exports to the same bytes', async (t) => {
  const source = await runCase(t, 'receipt/effect-absent');
  assert.deepEqual(await makeBundle(source), await makeBundle(source));
});

/** A run whose executors said everything that a program could blurt out about its machine. */
function indiscreet(records: readonly StepRecord[], dir: string): StepRecord[] {
  const words = `${databaseDir(dir)}/lab.sqlite: SQLITE_FULL at file://${projectRoot()}/lib/x.ts:3:4, ${homedir()}/notes and /srv/people/ada/notes.txt`;
  return records.map((record) => ({
    ...record,
    error: words,
    executors: record.executors.map((end) => ({
      ...end,
      stdout: words,
      stderr: words,
      reply: { ...end.reply, message: `in ${databaseDir(dir)}` },
    })),
  }));
}

test('no path of the machine, no name of its people and no environment variable is in a bundle', async (t) => {
  process.env.DRILL_TEST_SECRET = SECRET;
  t.after(() => {
    delete process.env.DRILL_TEST_SECRET;
  });
  for (const lab of labs) {
    const source = await runCase(t, scenariosOf(lab.id)[0]?.id ?? '');
    const dataDir = join(source.dir, '..');
    const files = await readArchive(
      await makeBundle({ ...source, dataDir, records: indiscreet(source.records, source.dir) }),
    );
    const secrets = [
      SECRET,
      source.dir,
      projectRoot(),
      `${homedir()}/`,
      '/srv/people',
      'people/ada',
      process.execPath,
    ];
    if (hostname().length > 5) secrets.push(hostname());
    for (const [name, content] of files) {
      for (const secret of secrets)
        assert.equal(content.includes(secret), false, `${lab.id}: ${name} holds ${secret}`);
    }
    assert.match(String(files.get(JOURNAL)), /<run>\/db\/lab|<run>\/db/);
  }
});

test('of a path in a stack trace its last part is left', () => {
  assert.equal(hidePaths('at f (file:///srv/a/b.ts:3:4)'), 'at f (<path>/b.ts:3:4)');
  assert.equal(hidePaths('cannot open /var/lib/x/lab.sqlite'), 'cannot open <path>/lab.sqlite');
  assert.equal(
    hidePaths('receipt/lost-ack: 3/4 done, and/or <run>/db'),
    'receipt/lost-ack: 3/4 done, and/or <run>/db',
  );
});

const SCRIPT = `"><script>alert(1)</script><img src=x onerror=alert(1)>]]>`;

test('the report shows hostile text as text, has no script and asks nothing of any network', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack');
  const records = source.records.map((record) => ({
    ...record,
    executors: record.executors.map((end) => ({ ...end, reply: { status: SCRIPT } })),
  }));
  const files = await readArchive(await makeBundle({ ...source, title: SCRIPT, records }));
  const html = String(files.get(REPORT_HTML));
  assert.doesNotMatch(html, /<script|<img|onerror=alert\(1\)>/);
  assert.match(html, /&#60;script&#62;alert\(1\)/);
  assert.match(html, /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/);
  assert.doesNotMatch(html, /<[^>]*\b(src|href|action)=|@import|url\(|https?:/);
  assert.doesNotMatch(String(files.get(REPORT_MD)), /(^|[^\\])<script/);
});

test('the report has the map, before and after, the checks, and how to replay', async (t) => {
  const html = String(
    (await readArchive(await makeBundle(await runCase(t, 'receipt/lost-ack')))).get(REPORT_HTML),
  );
  assert.match(html, /<svg[^>]*role="img"[^>]*aria-label="Commit map"/);
  assert.match(html, /died: 86 at after-target/);
  for (const name of ['Operation status', 'Target version', 'Receipts', 'Event history'])
    assert.match(html, new RegExp(`<caption>${name}`));
  assert.match(html, /<ins>reconciled<\/ins>/);
  assert.match(html, /drill -- replay case\.zip/);
});

test('the export shows predictions beside what was', async (t) => {
  const source = await runCase(t, 'receipt/lost-ack', {
    predictions: [
      { seq: 4, value: 'retry-same-key' },
      { seq: 5, value: null },
    ],
  });
  const files = await readArchive(await makeBundle(source));
  const journal = JSON.parse(String(files.get(JOURNAL))) as Journal;
  assert.deepEqual(
    journal.steps.map((step) => step.prediction),
    [null, null, null, { said: 'retry-same-key' }, { said: null }],
  );
  assert.match(
    String(files.get(REPORT_HTML)),
    /The effect is absent; the same operation may run again<\/td><td>The effect exists/,
  );
  assert.match(String(files.get(REPORT_MD)), /\| skipped \| 1 \|/);
});

test('the manifest names versions and every file', async (t) => {
  const files = await readArchive(await makeBundle(await runCase(t, 'receipt/lost-ack')));
  const manifest = JSON.parse(String(files.get(MANIFEST))) as Manifest;
  assert.deepEqual(
    Object.keys(manifest.files).sort(),
    [...files.keys()].filter((name) => name !== MANIFEST).sort(),
  );
  assert.match(manifest.code.digest, /^[0-9a-f]{64}$/);
  assert.equal(manifest.runtime.node, process.version);
  assert.match(manifest.runtime.sqlite, /^3\./);
});
