/** What came back from the receiver: only a complete response that names this intent is evidence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from '../../core/canonical.ts';
import { seedOf } from '../../testing/temp-dir.ts';
import { type ChildEnd, judgeAnswer } from './answer.ts';
import { type Identity, nameFault } from './terms.ts';

const ALL: ReadonlySet<string> = new Set();
const job: Identity = { caller: 'agent-demo', operation_key: 'op-1', payload_hash: 'a'.repeat(64) };
const valid = { ...job, ticket_id: 7 };
const line = `${JSON.stringify(valid)}\n`;
const end = (stdout: string, more: Partial<ChildEnd> = {}): ChildEnd => ({
  stdout,
  status: 0,
  signal: null,
  errorCode: null,
  ...more,
});

test('a complete, valid response is evidence, however its writer ended', () => {
  for (const more of [
    {},
    { status: 86 },
    { status: null, signal: 'SIGKILL' },
    { status: null, errorCode: 'ETIMEDOUT' },
  ]) {
    assert.equal(judgeAnswer(end(line, more), job, ALL).kind, 'response');
  }
});

test('an exit code alone is no evidence, not even 0', () => {
  for (const status of [0, 2, 3, 86])
    assert.equal(judgeAnswer(end('', { status }), job, ALL).kind, 'silence');
});

test('no proper prefix of a response is one, wherever it is cut', () => {
  for (let length = 1; length < line.length; length++) {
    assert.equal(
      judgeAnswer(end(line.slice(0, length), { status: null, signal: 'SIGKILL' }), job, ALL).kind,
      'invalid',
    );
  }
});

test('what our own deadline cut off is no answer; more than any response can be is an invalid one', () => {
  assert.equal(judgeAnswer(end('{"cal', { errorCode: 'ETIMEDOUT' }), job, ALL).kind, 'silence');
  assert.equal(judgeAnswer(end('x'.repeat(65_536), { errorCode: 'ENOBUFS' }), job, ALL).kind, 'invalid');
});

test('a busy receiver gave no answer; any other refusal of this intent is one; a refusal of another is not', () => {
  const refusal = (refused: string, key = 'op-1') =>
    judgeAnswer(
      end(`${JSON.stringify({ caller: 'agent-demo', operation_key: key, refused })}\n`, { status: 3 }),
      job,
      ALL,
    );
  assert.equal(refusal('busy').kind, 'silence');
  assert.equal(refusal('conflict').kind, 'refused');
  assert.equal(refusal('corrupt').kind, 'refused');
  assert.equal(refusal('conflict', 'op-2').kind, 'invalid');
});

test('nothing but a response with these members and these values is accepted', (t) => {
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(true, 1.5, 0, -1, '7', null, 'op-2', 'agent-demo', Number.MAX_SAFE_INTEGER + 1),
  );
  const names = fc.constantFrom('caller', 'operation_key', 'payload_hash', 'ticket_id', 'note');
  const changed = fc.dictionary(names, value).map((members) => ({ ...valid, ...members }));
  const lacking = names.map((name) =>
    Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name)),
  );
  fc.assert(
    fc.property(fc.oneof(changed, lacking, fc.jsonValue()), (said) => {
      const fits =
        canonicalJson({ ...(said as object), ticket_id: 0 }) === canonicalJson({ ...valid, ticket_id: 0 }) &&
        Number.isSafeInteger((said as { ticket_id?: unknown }).ticket_id) &&
        Number((said as { ticket_id?: unknown }).ticket_id) >= 1;
      const answer = judgeAnswer(end(`${JSON.stringify(said)}\n`), job, ALL);
      assert.equal(answer.kind === 'response', fits, JSON.stringify(said));
    }),
    { seed: seedOf(t), numRuns: 2_000 },
  );
});

test('the longest honest response fits into what the sender reads', () => {
  const name = '\u{1}'.repeat(128);
  assert.equal(nameFault(name), null);
  const longest = JSON.stringify({
    ...valid,
    caller: name,
    operation_key: name,
    ticket_id: Number.MAX_SAFE_INTEGER,
  });
  assert.ok(Buffer.byteLength(longest) < 64 * 1024);
});
