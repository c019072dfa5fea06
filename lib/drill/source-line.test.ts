import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labs } from '../labs/registry.ts';
import { sourceOf } from './source-line.ts';

test('every boundary of a built-in lab has its line of code, and the line names it', () => {
  for (const lab of labs) {
    for (const { name } of lab.boundaries) {
      const place = sourceOf(lab, name);
      assert.ok(place, `${lab.id} has no source for ${name}`);
      const line = place.lines.find(({ number }) => number === place.at);
      assert.match(line?.text ?? '', new RegExp(`'${name}'`), `${place.file}:${place.at}`);
    }
  }
});

test('a lab without a folder has no source', () => {
  assert.equal(sourceOf({ id: 'no-such-lab' }, 'after-target'), null);
});
