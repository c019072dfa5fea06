import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scenarioYaml } from '#lib/drill/propose.ts';
import { getScenario, parseScenario } from '#lib/drill/scenario.ts';
import { expectWords, readDraft, renameStep, setCheck, setExpect, setId, setText } from './draft.ts';

const source = scenarioYaml(getScenario('receipt/late-executor'));

test('the form reads what the text says, and nothing while it is no YAML', () => {
  const draft = readDraft(source);
  assert.equal(draft?.id, 'receipt/late-executor');
  assert.equal(draft?.steps[2]?.label, 'late');
  assert.equal(draft?.steps[5]?.verb, 'release late');
  assert.equal(draft?.steps[2]?.expect, '{"held":true}');
  for (const wrong of ['a: [', '- 1', '', 'a: 1\na: 2']) assert.equal(readDraft(wrong), null, wrong);
});

test('a label is changed with everything that names it, and the scenario stays sound', () => {
  const renamed = renameStep(source, 2, 'sleeper');
  const parsed = parseScenario(renamed);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  assert.equal(parsed.scenario.steps[5]?.release, 'sleeper');
  assert.match(renamed, /at: sleeper/);
  assert.doesNotMatch(renamed, /: late$/m);
});

test('texts, expectations and checks go in and out, and back to where they were', () => {
  const draft = readDraft(source);
  const check = draft?.checks[0] as string;
  const without = setCheck(source, check, false);
  assert.equal(readDraft(without)?.checks.includes(check), false);
  assert.equal(readDraft(setCheck(without, check, true))?.checks.includes(check), true);
  const bare = setExpect(source, 2, null);
  assert.equal(readDraft(bare)?.steps[2]?.expect, null);
  assert.equal(readDraft(setExpect(bare, 2, '{"held":true}'))?.steps[2]?.expect, '{"held":true}');
  const text = 'Ein "Titel": mit: Doppelpunkten # und Raute';
  assert.equal(readDraft(setText(source, 'title', text))?.text.title, text);
  assert.equal(readDraft(setId(source, 'receipt/mine'))?.id, 'receipt/mine');
});

test('a change to what is no YAML changes nothing', () => {
  assert.equal(setText('a: [', 'title', 'x'), 'a: [');
});

test('an expectation is told in words', () => {
  assert.equal(
    expectWords('{"exit":0,"reply":{"status":"complete","retryable":false}}'),
    'exit 0, status complete, retryable false',
  );
  assert.equal(expectWords('{"held":true}'), 'held');
  assert.equal(expectWords('{"exits":{"0":8}}'), '8 × 0');
  assert.equal(expectWords('{"signal":"SIGKILL"}'), 'signal SIGKILL');
});
