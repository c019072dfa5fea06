import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, type TestContext, test } from 'node:test';
import { DrillError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { caseBundle, forge } from '../../testing/case.ts';
import type { StepRecord } from '../model.ts';
import { readArchive, writeArchive } from './archive.ts';
import { JOURNAL, MANIFEST, SCENARIO } from './model.ts';
import { readBundle } from './read.ts';

let sound: Buffer;
/** Without its databases: small, for what is tried many times. */
let slim: Buffer;
before(async (t) => {
  sound = await caseBundle(t as TestContext, 'receipt/lost-ack');
  slim = await forge(sound, (files) => {
    for (const name of [...files.keys()]) if (name.startsWith('databases/')) files.delete(name);
  });
});

async function refused(zip: Buffer, sentence: RegExp): Promise<void> {
  await assert.rejects(readBundle(zip), (error: unknown) => {
    assert.ok(error instanceof DrillError, String(error));
    assert.equal(error.code, 'malformed');
    assert.match(error.message, sentence);
    assert.doesNotMatch(error.message, /\n/);
    assert.ok(error.message.length < 600);
    assert.match(error.message, /[^.]\. Nothing was kept of it\.$/, 'one full stop');
    return true;
  });
}

const changeText = (name: string, change: (text: string) => string) =>
  forge(slim, (files) => {
    files.set(name, Buffer.from(change(String(files.get(name)))));
  });

const changeJournal = (change: (journal: JsonObject) => void) =>
  changeText(JOURNAL, (text) => {
    const journal = JSON.parse(text) as JsonObject;
    change(journal);
    return JSON.stringify(journal);
  });

/** Files as somebody changes them who does not know the format. */
async function tamper(change: (files: Map<string, Buffer>) => void): Promise<Buffer> {
  const files = await readArchive(sound);
  change(files);
  return writeArchive(files);
}

test('a forged bundle that lies about nothing is read', async () => {
  assert.equal((await readBundle(await forge(sound, () => {}))).scenario.id, 'receipt/lost-ack');
});

test('a manifest that lies is refused', async () => {
  await refused(
    await tamper((files) =>
      files.set(JOURNAL, Buffer.concat([files.get(JOURNAL) as Buffer, Buffer.from(' ')])),
    ),
    /journal\.json is not the file that the manifest lists/,
  );
  const swapped = await tamper((files) => {
    const wal = files.get('databases/lab.sqlite') as Buffer;
    files.set('databases/lab.sqlite', Buffer.alloc(wal.length));
  });
  await refused(swapped, /databases\/lab\.sqlite is not the file/);
  await refused(
    await tamper((files) => files.delete('report.html')),
    /lists report\.html, which is not there/,
  );
  await refused(await tamper((files) => files.set('extra.txt', Buffer.from('x'))), /holds extra\.txt, which/);
  await refused(await tamper((files) => files.delete(MANIFEST)), /has no manifest\.json/);
  await refused(
    await tamper((files) => files.set(MANIFEST, Buffer.from('[]'))),
    /manifest\.json, the whole of it/,
  );
  await refused(await tamper((files) => files.set(MANIFEST, Buffer.from('{'))), /manifest\.json is not JSON/);
  await refused(
    await tamper((files) => files.set(MANIFEST, Buffer.from([0x7b, 0xff]))),
    /manifest\.json is not JSON/,
  );
});

test('a bundle of another format is refused with both versions named', async () => {
  const other = await forge(sound, (_, manifest) => {
    manifest.format = 7;
  });
  await refused(other, /it has format 7, and this program reads format 2/);
  const old = await forge(sound, (_, manifest) => {
    manifest.format = 1;
  });
  await refused(old, /version 0\.1\.0 wrote it, and this version does not read bundles of 0\.1\.0/);
  const negative = await forge(sound, (_, manifest) => {
    manifest.format = -1;
  });
  await refused(negative, /it has format -1, and this program reads format 2/);
  await refused(
    await changeJournal((journal) => {
      journal.format = 3;
    }),
    /it has format 3, and this program reads format 2/,
  );
});

test('a bundle of a lab that is not here is refused, and says which are', async () => {
  const other = await forge(sound, (_, manifest) => {
    manifest.run.lab = 'payments';
  });
  await refused(other, /it is of lab "payments", and this program has receipt/);
});

test('a scenario that names a path, an unknown command or an unknown damage is refused with its place', async () => {
  const cases: [string, string, RegExp][] = [
    ['command: recover', 'command: ../../../bin/sh', /scenario\.yaml:\d+:\d+ steps\.3.*there is no command/],
    ['command: recover', 'command: destroy', /there is no command "destroy"; there are: init/],
    ['command: recover', 'damage: "rm -rf /"', /there is no damage/],
    ['approve: true', 'approve: true\n      dir: /etc', /steps\.2|step 3 of the journal/],
    ['at: after-target', 'at: /etc/passwd', /there is no boundary "\/etc\/passwd"/],
    ['id: receipt/lost-ack', 'id: ../../etc/passwd', /an id is <lab>\/<name>/],
    ['lab: receipt', 'lab: ../outbox', /there is no lab/],
    ['operation: synthetic-finding-001', 'operation: 5', /steps\.3\.args/],
    ['command: recover', 'command: !!js/function "x"', /scenario\.yaml|steps/],
  ];
  for (const [from, to, sentence] of cases)
    await refused(await changeText(SCENARIO, (text) => text.replace(from, to)), sentence);
});

test('a scenario that would keep the program busy is refused at once', async () => {
  const keys = Array.from({ length: 300_000 }, (_, index) => `k${index}: [1, 2, { x: y }]\n`).join('');
  await refused(
    await changeText(SCENARIO, () => keys),
    /scenario\.yaml:1:1 \(file\): larger than a scenario/,
  );
  await refused(await changeText(SCENARIO, () => '['.repeat(60_000)), /scenario\.yaml:1:65 .*nests deeper/);
});

const SCRIPT = '<script>alert(1)</script>';

/** Every text of the document made a script, but for the ways in that are left out. */
function scripted(value: unknown, keep: (path: string) => boolean, path = ''): unknown {
  if (typeof value === 'string') return keep(path) ? value : SCRIPT;
  if (Array.isArray(value)) return value.map((item) => scripted(item, keep, `${path}[]`));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, scripted(item, keep, path ? `${path}.${key}` : key)]),
  );
}

test('a journal with script in every text field is refused', async () => {
  const zip = await changeText(JOURNAL, (text) => JSON.stringify(scripted(JSON.parse(text), () => false)));
  await refused(zip, /journal\.json, /);
});

test('a journal with script in each single text field is refused, or read as text', async () => {
  const journal = JSON.parse(String((await readArchive(sound)).get(JOURNAL))) as unknown;
  const paths = new Set<string>();
  scripted(journal, (path) => {
    paths.add(path);
    return true;
  });
  assert.ok(paths.size > 40, `${paths.size} kinds of text`);
  let read = 0;
  for (const one of paths) {
    const zip = await changeText(JOURNAL, (text) =>
      JSON.stringify(scripted(JSON.parse(text), (path) => path !== one)),
    );
    try {
      const bundle = await readBundle(zip);
      read += 1;
      for (const name of [
        bundle.lab.id,
        bundle.journal.run.lab,
        ...bundle.journal.steps.map((s) => s.record.label),
      ])
        assert.doesNotMatch(name, /</, `${one}: no name is markup`);
    } catch (error) {
      assert.ok(error instanceof DrillError && error.code === 'malformed', `${one}: ${error}`);
    }
  }
  assert.ok(read >= 3, `${read}: text that is only shown stays text`);
});

test('a journal that is not of the scenario beside it is refused', async () => {
  const steps = (journal: JsonObject) => journal.steps as unknown as { record: JsonObject }[];
  await refused(
    await changeJournal((journal) => {
      steps(journal).pop();
    }),
    /the journal has 4 steps and the scenario 5/,
  );
  await refused(
    await changeJournal((journal) => {
      (steps(journal)[3]?.record.spec as JsonObject).command = 'forget';
    }),
    /step 4 of the journal is not step 4 of the scenario/,
  );
});

type Step = { record: StepRecord; prediction: JsonObject | null };

const changeStep = (label: string, change: (step: Step) => void) =>
  changeJournal((journal) => {
    const step = (journal.steps as unknown as Step[]).find(({ record }) => record.label === label);
    assert.ok(step);
    change(step);
  });

const SHELL = 'x; touch pwned; #';

test('a record that tells of another command, argument, safeguard, place or fault than its step is refused', async () => {
  const cases: [string, (record: StepRecord) => void, RegExp][] = [
    ['recovered', (one) => Object.assign(one, { command: 'forget' }), /asks for "recover", and its record/],
    ['recovered', (one) => Object.assign(one.args, { operation: 'other' }), /not those that the step asks/],
    [
      'recovered',
      (one) => Object.assign(one.args, { [SHELL]: true }),
      /not those of its command: .*no argument/,
    ],
    ['crashed', (one) => Object.assign(one.args, { approve: false }), /not those that the step asks for/],
    ['crashed', (one) => one.without.push(SHELL), /a safeguard that the lab does not have/],
    ['crashed', (one) => one.without.push('version-check'), /are not those of the scenario/],
    ['crashed', (one) => Object.assign(one.spec, { without: [SHELL] }), /there is no safeguard/],
    ['crashed', (one) => Object.assign(one.fault.armed[0] ?? {}, { at: SHELL }), /faults armed in step/],
    ['crashed', (one) => Object.assign(one.fault.armed[0] ?? {}, { role: SHELL }), /faults armed in step/],
    ['crashed', (one) => one.fault.armed.pop(), /faults armed in step "crashed" are not/],
    ['crashed', (one) => Object.assign(one.fault.fired[0] ?? {}, { hit: 2 }), /fired that was not armed/],
    ['crashed', (one) => Object.assign(one.trace[0] ?? {}, { role: SHELL }), /the trace of step "crashed"/],
    ['crashed', (one) => Object.assign(one.executors[0] ?? {}, { role: SHELL }), /of another role/],
    [
      'crashed',
      (one) => Object.assign(one.executors[0] ?? {}, { held: { at: SHELL, hit: 1 } }),
      /is held at/,
    ],
    ['crashed', (one) => Object.assign(one, { now: 99 }), /the clock of step "crashed"/],
  ];
  for (const [label, change, sentence] of cases)
    await refused(await changeStep(label, ({ record }) => change(record)), sentence);
});

test('a bundle does not judge itself: what it holds is judged when it is opened', async () => {
  const exit = ({ record }: Step) => Object.assign(record.executors[0] ?? {}, { code: 4 });
  const { journal } = await readBundle(await changeStep('recovered', exit));
  assert.equal(journal.verdict, 'violated');
  assert.ok(journal.reasons.some((reason) => reason.kind === 'expectation' && reason.step === 'recovered'));
  const silent = (step: Step) => {
    exit(step);
    delete step.record.spec.expect;
  };
  await refused(await changeStep('recovered', silent), /is not what the scenario expects of it/);
});

test('a bundle that brings a judgement of its own is refused', async () => {
  const mine = ({ record }: Step) => Object.assign(record, { invariants: [] });
  await refused(await changeStep('recovered', mine), /a name that is not known here: "invariants"/);
  const verdict = changeJournal((journal) => Object.assign(journal, { verdict: 'holds' }));
  await refused(await verdict, /a name that is not known here: "verdict"/);
});

test('a database that is none is refused under a right hash, and so is one that no step left', async () => {
  const put = (name: string) => forge(sound, (files) => files.set(name, Buffer.from('no database at all')));
  await refused(await put('databases/lab.sqlite'), /databases\/lab\.sqlite is no SQLite database/);
  await refused(await put('databases/raw/3-crashed/lab.sqlite'), /3-crashed\/lab\.sqlite is no SQLite/);
  await refused(await put('databases/raw/9-never/lab.sqlite'), /is no database of this case/);
  await refused(await put('databases/other.sqlite'), /databases\/other\.sqlite is no database of this case/);
});

test('a prediction that its step does not ask for, or that is no answer, is refused', async () => {
  const asked = (await readBundle(slim)).scenario.steps.find((step) => step.predict);
  assert.ok(asked?.predict);
  const on = (label: string, prediction: JsonObject) =>
    changeStep(label, (step) => {
      step.prediction = prediction;
    });
  await refused(await on('init', { said: null }), /a prediction for step "init", which asks nothing/);
  const long = 'y'.repeat(5_000);
  await refused(await on(asked.label, { said: long }), /does not answer its question/);
});

test('a manifest with another title than its journal is refused', async () => {
  const other = await forge(sound, (_, manifest) => {
    manifest.run.title = 'Another title';
  });
  await refused(other, /manifest and journal have different titles/);
});

test('documents that nest without end or change what objects are is refused', async () => {
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  await refused(await changeText(JOURNAL, () => `{"format":2,"x":${deep}}`), /nests deeper than 64 levels/);
  const [open, close] = ['['.repeat(200_000), ']'.repeat(200_000)];
  await refused(await changeText(JOURNAL, () => `${open}${close}`), /journal\.json/);
  await refused(
    await changeText(JOURNAL, (text) => text.replace('{', '{"__proto__":{"lab":"x"},')),
    /has a member named "__proto__"/,
  );
  await refused(await changeText(SCENARIO, () => 'a: &a [*a, *a]\nb: &b [*a,*a,*a]'), /scenario\.yaml/);
});

test('nothing stays behind of a bundle that was refused, nor of one that was read', async () => {
  const kept = process.env.TMPDIR;
  const dir = mkdtempSync(join(tmpdir(), 'drill-test-'));
  process.env.TMPDIR = dir;
  try {
    await readBundle(sound);
    await refused(sound.subarray(0, sound.length / 2), /no zip file/);
    await refused(await changeText(SCENARIO, () => 'x: 1'), /scenario\.yaml/);
    assert.deepEqual(readdirSync(dir), []);
  } finally {
    if (kept === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = kept;
  }
});
