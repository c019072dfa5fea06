/** The published observations, reproduced by real processes and three real databases. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { oracleDocument } from '../../cli/oracle.ts';
import { projectRoot } from '../../core/project-root.ts';

const golden = JSON.parse(
  readFileSync(join(projectRoot(), 'lib/labs/outbox/golden/outbox-results.json'), 'utf8'),
);

test('the sixteen published cases come out of real processes, payload hashes included', async () => {
  assert.deepEqual(await oracleDocument('outbox'), golden);
});
