/** The whole table: each safeguard of each lab is missed by a scenario or by a cell of the matrix. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labs } from '../../labs/registry.ts';
import { tempDir } from '../../testing/temp-dir.ts';
import { scenariosOf } from '../scenario.ts';
import { noticedBy } from './safeguards.ts';

for (const lab of labs) {
  for (const { name } of lab.safeguards) {
    test(`${lab.id}: without ${name} a scenario or a cell of the matrix comes out otherwise`, async (t) => {
      const cell = await noticedBy(lab, name, { dir: tempDir(t), scenarios: scenariosOf(lab.id) });
      assert.ok(cell, 'nothing notices that it is missing');
      const says = cell.invariants.join(', ') || cell.reason;
      assert.notEqual(says, '');
      t.diagnostic(`${cell.column}: ${says}`);
    });
  }
}
