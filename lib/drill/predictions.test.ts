import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../core/json.ts';
import { labs } from '../labs/registry.ts';
import type { StepSpec } from './model.ts';
import { scenariosOf } from './scenario.ts';

/** Words in one form: `contract_changed` and "contract changed" are `contract-changed`, `reconciled` is `reconcil`. */
function words(value: Json): string {
  const parts = String(value)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean);
  return `-${parts.map((part) => part.replace(/(?<=[a-z]{3})(?:ed|d|e)$/, '')).join('-')}-`;
}

/** What may be the answer to a step's question: its options, and what is expected where the answer is read. */
function answersOf({ predict, expect }: StepSpec): Json[] {
  const expected = predict && 'reply' in predict.answer ? expect?.reply?.[predict.answer.reply] : undefined;
  const options = (predict?.options ?? []).flatMap(({ value, text }) => [value, text]);
  return [...options, ...(expected === undefined ? [] : [expected])];
}

test('every built-in scenario asks for at least one prediction, and says why the answer is what it is', () => {
  for (const lab of labs) {
    const scenarios = scenariosOf(lab.id);
    assert.ok(scenarios.length > 0, `${lab.id} has scenarios`);
    for (const scenario of scenarios) {
      const questions = scenario.steps.flatMap((step) => (step.predict ? [step.predict] : []));
      assert.ok(questions.length > 0, `${scenario.id} asks nothing`);
      for (const { question, because } of questions) {
        assert.ok(question.length > 10 && because.length > 10, `${scenario.id}: ${question}`);
      }
    }
  }
});

test('the question of a scenario, and what counts as having understood it, are one line each', () => {
  for (const scenario of labs.flatMap((lab) => scenariosOf(lab.id))) {
    const { question, understood, story } = scenario.text;
    // A file of one's own may leave the second out; ours say it.
    for (const line of [question, understood ?? '\n'])
      assert.doesNotMatch(line.trim() || '\n', /\n/, scenario.id);
    assert.ok(
      story.split(/[.!?](?:\s|$)/).filter((part) => part.trim() !== '').length <= 3,
      `${scenario.id}: ${story}`,
    );
  }
});

test('no label of a step says what its question asks', () => {
  for (const scenario of labs.flatMap((lab) => scenariosOf(lab.id)))
    for (const step of scenario.steps.filter(({ predict }) => predict))
      for (const answer of answersOf(step))
        assert.ok(
          !words(step.label).includes(words(answer)),
          `${scenario.id}: the label ${step.label} is or has in it the answer ${answer}`,
        );
});

test('a question asks for the figure that its answer is read from, and gives none of it away', () => {
  for (const scenario of labs.flatMap((lab) => scenariosOf(lab.id)))
    for (const { predict } of scenario.steps)
      assert.doesNotMatch(
        predict?.question ?? '',
        /\b(answer by|give the number|count the|read it from|two of the)\b/i,
        scenario.id,
      );
});
