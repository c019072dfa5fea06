import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labs } from '../labs/registry.ts';
import { scenariosOf } from './scenario.ts';

test('every built-in scenario asks for at least one prediction, and says why the answer is what it is', () => {
  for (const lab of labs) {
    const scenarios = scenariosOf(lab.id);
    assert.ok(scenarios.length > 0, `${lab.id} has scenarios`);
    for (const scenario of scenarios) {
      const questions = scenario.steps.flatMap((step) => (step.predict ? [step.predict] : []));
      assert.ok(questions.length > 0, `${scenario.id} asks nothing`);
      for (const { question, because } of questions) {
        assert.ok(question.en.length > 10 && because.en.length > 10, `${scenario.id}: ${question.en}`);
      }
    }
  }
});

test('the question of a scenario, and what counts as having understood it, are one line each', () => {
  for (const scenario of labs.flatMap((lab) => scenariosOf(lab.id))) {
    const { question, understood, story } = scenario.text.en;
    // A file of one's own may leave the second out; ours say it.
    for (const line of [question, understood ?? '\n'])
      assert.doesNotMatch(line.trim() || '\n', /\n/, scenario.id);
    assert.ok(
      story.split(/[.!?](?:\s|$)/).filter((part) => part.trim() !== '').length <= 3,
      `${scenario.id}: ${story}`,
    );
  }
});
