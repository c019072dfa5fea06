import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../testing/temp-dir.ts';
import { isInside } from './paths.ts';

test('a path lies inside a folder by where it leads, not by how it is written', (t) => {
  const dir = tempDir(t);
  const data = join(dir, 'data');
  mkdirSync(join(data, 'runs'), { recursive: true });
  symlinkSync(join(data, 'runs'), join(dir, 'link'));
  assert.ok(isInside(data, data));
  assert.ok(isInside(join(data, 'runs', 'not', 'there'), data));
  assert.ok(isInside(join(dir, 'link'), data));
  assert.ok(isInside(join(dir, 'link', 'not-there'), data));
  assert.ok(isInside(join(data, '..name'), data));
  assert.ok(!isInside(dir, data));
  assert.ok(!isInside(join(dir, 'data-beside'), data));
  assert.ok(!isInside(join(data, '..', 'other'), data));
});
