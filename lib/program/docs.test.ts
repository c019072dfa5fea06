import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { parseProgram } from './load.ts';

test('the file that the documentation shows is sound', () => {
  const page = readFileSync(join(projectRoot(), 'docs', 'program-labs.md'), 'utf8');
  const [, yaml = ''] = /```yaml\n(lab:.*?)```/s.exec(page) ?? [];
  assert.deepEqual(parseProgram(yaml, null), { ...parseProgram(yaml, null), ok: true });
});
