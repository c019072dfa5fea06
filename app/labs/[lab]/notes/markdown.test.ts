import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenariosOf } from '#lib/drill/scenario.ts';
import { labs } from '#lib/labs/registry.ts';
import { labNotes } from '#lib/operations/lab-notes.ts';
import { blocks, inline } from './markdown.ts';

test('blocks are told apart, and what is none of them stays text', () => {
  assert.deepEqual(
    blocks(
      '# A\n\ntext\nmore\n\n- one\n  goes on\n- two\n\n1. x\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n```\n# no\n```\n',
    ).map((block) => block.kind),
    ['heading', 'paragraph', 'list', 'list', 'table', 'code'],
  );
  const list = blocks('- one\n  goes on\n- two')[0];
  assert.equal(list?.kind === 'list' && list.items.length, 2);
});

test('markup inside a line is told from text that only looks like it', () => {
  assert.deepEqual(inline('**Ask:** is `a_b_c` _really_ 2 * 3 * 4? <b>'), [
    { kind: 'strong', text: 'Ask:' },
    { kind: 'text', text: ' is ' },
    { kind: 'code', text: 'a_b_c' },
    { kind: 'text', text: ' ' },
    { kind: 'em', text: 'really' },
    { kind: 'text', text: ' 2 * 3 * 4? <b>' },
  ]);
});

test('every lab has a playlist of its own scenarios, and notes that can be shown', () => {
  for (const lab of labs) {
    const ids = scenariosOf(lab.id).map((scenario) => scenario.id);
    assert.ok(lab.playlist.length > 0, lab.id);
    for (const { scenario, minutes } of lab.playlist) {
      assert.ok(minutes > 0 && ids.includes(scenario), scenario);
    }
    const notes = labNotes(lab.id) ?? '';
    for (const word of [/\bask\b/i, /\bpeople\b|\banswered\b/i, /\bshow\b/i])
      assert.match(notes, word, lab.id);
    assert.match(notes, new RegExp(lab.playlist[0]?.scenario.split('/')[1] ?? 'none'), lab.id);
    for (const block of blocks(notes)) {
      if (block.kind !== 'code') assert.doesNotMatch(JSON.stringify(block), /"text":"[^"]*(\*\*|^#)/, lab.id);
    }
  }
});
