import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from '../core/project-root.ts';
import { labs } from '../labs/registry.ts';
import { getScenario, parseScenario, scenariosOf } from './scenario.ts';
import { scenarioJsonSchema } from './schema.ts';

const GOOD = `id: receipt/example
lab: receipt
text:
  { title: T, question: Q?, story: S., lesson: L., understood: U. }
steps:
  - { label: init, command: init }
  - { label: plan, command: plan, saves: proposal }
  - { label: ran, command: run, args: { proposal: $proposal, approve: true }, expect: { exit: 0 } }
checks:
  - { at: end, panel: receipts, count: 1 }
`;

function faultsOf(source: string) {
  const parsed = parseScenario(source);
  return parsed.ok ? [] : parsed.faults;
}

test('a sound file is read', () => {
  const parsed = parseScenario(GOOD);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  assert.equal(parsed.scenario.steps.length, 3);
});

test('a misspelt key is named with its line and column', () => {
  const faults = faultsOf(GOOD.replace('saves: proposal', 'save: proposal'));
  assert.ok(
    faults.some((fault) => fault.line === 7 && /no key "save"/.test(fault.message) && fault.column > 1),
    JSON.stringify(faults),
  );
});

test('every fault of a file is reported, not the first alone', () => {
  const faults = faultsOf(
    GOOD.replace('lab: receipt', 'lab: receipt\nfoo: 1').replace('count: 1', 'count: minus'),
  );
  assert.ok(faults.length >= 2, JSON.stringify(faults));
});

test('a duplicate label is refused', () => {
  const [fault] = faultsOf(GOOD.replace('label: plan', 'label: init'));
  assert.match(fault?.message ?? '', /label is used already/);
  assert.equal(fault?.line, 7);
});

test('a value saved by nobody, by the step itself or only later is refused, the last two as cycles', () => {
  assert.match(faultsOf(GOOD.replace('$proposal', '$other'))[0]?.message ?? '', /saved by no step/);
  const own = GOOD.replace('saves: proposal }', '}').replace(
    'approve: true }',
    'approve: true }, saves: proposal',
  );
  assert.match(faultsOf(own)[0]?.message ?? '', /this very step: a cycle/);
  const later = GOOD.replace('saves: proposal }', '}')
    .concat('')
    .replace('checks:', '  - { label: again, command: plan, saves: proposal }\nchecks:');
  assert.match(faultsOf(later)[0]?.message ?? '', /only later, by "again": a cycle/);
});

test('a check on a step that does not exist is refused', () => {
  const [fault] = faultsOf(GOOD.replace('at: end', 'at: nowhere'));
  assert.match(fault?.message ?? '', /no step "nowhere"/);
});

test('unknown lab, command, boundary, safeguard, invariant and damage are named with what there is', () => {
  const cases: [string, string, RegExp][] = [
    ['lab: receipt\n', 'lab: other\n', /no lab "other"; there are: .*receipt/],
    ['command: init', 'command: destroy', /no command "destroy"; there are: .*init/],
    ['command: init }', 'command: init, fault: { at: nowhere } }', /no boundary "nowhere"/],
    ['lab: receipt', 'lab: receipt\nwithout: [gravity]', /no safeguard "gravity"/],
    ['lab: receipt', 'lab: receipt\nviolates: [gravity]', /no invariant "gravity"/],
    ['command: init }', 'damage: hammer }', /no damage "hammer"/],
  ];
  for (const [from, to, message] of cases)
    assert.match(faultsOf(GOOD.replace(from, to))[0]?.message ?? '', message);
});

test('no SQL, path or shell can be said in a scenario: there is no key for it', () => {
  for (const key of ['sql: DROP TABLE x', 'dir: /etc', 'exec: sh']) {
    assert.match(JSON.stringify(faultsOf(GOOD.replace('command: init', `command: init, ${key}`))), /no key/);
  }
});

test('what is not YAML, or nests aliases without bound, is one fault with its place', () => {
  assert.ok(faultsOf('a: [1').length > 0);
  assert.ok(faultsOf('').length > 0);
  const bomb =
    'a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n';
  assert.equal(faultsOf(bomb).length, 1);
});

test('every built-in scenario is sound, named after its file, and asks a prediction', () => {
  for (const lab of labs) {
    const scenarios = scenariosOf(lab.id);
    assert.ok(scenarios.length > 0, lab.id);
    const ids = new Set(scenarios.map((scenario) => scenario.id));
    assert.equal(ids.size, scenarios.length);
    for (const { scenario } of lab.playlist) assert.ok(ids.has(scenario), `${lab.id} playlist: ${scenario}`);
    for (const scenario of scenarios) {
      assert.ok(
        scenario.steps.some((step) => step.predict),
        `${scenario.id} asks no prediction`,
      );
      const sentences = scenario.text.story.split(/(?<=[.?!])\s+(?=[A-Z"'`])/).length;
      assert.ok(sentences <= 3, `${scenario.id}: a story of ${sentences} sentences`);
    }
  }
});

test('the published JSON Schema is the one of the code', () => {
  const published = readFileSync(join(projectRoot(), 'public', 'scenario.schema.json'), 'utf8');
  assert.deepEqual(JSON.parse(published), JSON.parse(JSON.stringify(scenarioJsonSchema())));
});

const RELEASE = [
  'id: receipt/mine',
  'lab: receipt',
  'text: { title: T, question: Q, story: S, lesson: L }',
  'steps:',
  '  - { label: init, command: init }',
  '  - { label: plan, command: plan, saves: proposal }',
  '  - label: run',
  '    command: run',
  '    args: { proposal: $proposal, approve: true }',
  '    fault: { at: after-target, action: hold }',
  '  - label: go',
  '    release: run',
].join('\n');

const linesOf = (source: string): string[] => {
  const parsed = parseScenario(source);
  return parsed.ok ? [] : parsed.faults.map((one) => `${one.line}:${one.column} ${one.path}: ${one.message}`);
};

test('a release that holds nothing is refused with its line and column', () => {
  assert.deepEqual(linesOf(RELEASE), []);
  assert.deepEqual(linesOf(RELEASE.replace('action: hold', 'action: kill')), [
    '12:14 steps.3.release: step "run" holds nothing: none of its faults has action: hold',
  ]);
  assert.deepEqual(linesOf(`${RELEASE}\n  - { label: more, release: run }`), [
    '13:29 steps.4.release: "go" has released all that step "run" holds',
  ]);
  assert.match(linesOf(`${RELEASE}\n    role: receiver`)[0] ?? '', /holds no receiver; there are: executor/);
});

test('an unknown panel, action, command or step is answered with what there is, at its own place', () => {
  const checked = (check: string) => linesOf(`${RELEASE}\nchecks:\n  - ${check}`);
  assert.deepEqual(checked('{ at: end, panel: receits, count: 1 }'), [
    '14:23 checks.0.panel: must be one of: operation, target, receipts, events. Did you mean receipts?',
  ]);
  assert.match(checked('{ at: ned, changes: 1 }')[0] ?? '', /no step "ned"; there are: .*Did you mean end\?/);
  assert.deepEqual(linesOf(RELEASE.replace('action: hold', 'action: hodl')), [
    '10:40 steps.2.fault.action: must be one of: exit, kill, abort, hold. Did you mean hold?',
  ]);
  assert.match(
    linesOf(RELEASE.replace('command: plan', 'command: paln'))[0] ?? '',
    /no command "paln"; there are: .*Did you mean plan\?/,
  );
});

test('a bare name that one lab has is enough, and an unknown one is answered with the nearest', () => {
  assert.equal(getScenario('lost-ack').id, 'receipt/lost-ack');
  assert.throws(() => getScenario('lost-akc'), /Did you mean receipt\/lost-ack\?/);
  assert.throws(() => getScenario('zzzzzz'), /"drill list" names all of them/);
});
