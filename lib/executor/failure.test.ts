import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committed } from '../boundary/boundary.ts';
import { DrillError } from '../core/errors.ts';
import { failure } from './failure.ts';

test('a refusal is definite until this process has committed something, whatever it says of itself', async () => {
  const refusal = new DrillError('refused', 'No.');
  assert.equal((await failure(refusal)).reply.definite, true);
  assert.equal((await failure(new DrillError('refused', 'No.', { definite: false }))).reply.definite, false);
  committed('store', 'first');
  assert.equal((await failure(refusal)).reply.definite, false);
});

test('what a damaged store throws outside a commit is told as such, not as a defect', async () => {
  const thrown = Object.assign(new Error('database disk image is malformed'), { code: 'SQLITE_CORRUPT' });
  const { exit, reply } = await failure(thrown);
  assert.equal(exit, 66);
  assert.equal(reply.error, 'not-a-database');
});
