import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCase } from '../testing/case.ts';
import { narrate } from './narrate.ts';

test('a crash is told with what was committed, where the process died and what its caller got', async (t) => {
  const { lab, records } = await runCase(t, 'receipt/lost-ack');
  const crash = records.find(({ label }) => label === 'crashed');
  assert.ok(crash);
  const { name, sentence } = narrate(lab, crash);
  assert.equal(name, 'Run, the process died');
  assert.equal(
    sentence,
    'The process committed “intent: pending” and “target and receipt”. Then it died at after-target, ' +
      'after it committed “target and receipt”. The caller got exit 86 and no reply.',
  );
  const recovery = narrate(lab, records[3] ?? crash);
  assert.equal(recovery.sentence, 'Recovery committed “what recovery concluded” and answered “reconciled”.');
});

test('while its question is open a crash names no boundary and no commit', async (t) => {
  const { lab, records } = await runCase(t, 'receipt/lost-ack');
  const words = [...lab.boundaries.map(({ name }) => name), ...lab.commits.map(({ label }) => label)];
  for (const record of records) {
    const { sentence } = narrate(lab, record, true);
    for (const word of words) assert.ok(!sentence.includes(word), `"${sentence}" gives away ${word}`);
  }
});

test('a child that died is told as a child, and its parent went on', async (t) => {
  const { lab, records } = await runCase(t, 'outbox/before-receiver-commit');
  const crash = records.find(({ fault }) => fault.fired.length > 0);
  assert.ok(crash);
  const told = narrate(lab, crash);
  assert.match(told.name, /, the receiver died$/);
  assert.match(told.sentence, /The receiver died at before-receiver-commit, .*; its parent went on\./);
});
