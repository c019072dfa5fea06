import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scenario } from './model.ts';
import { scenarioYaml } from './propose.ts';
import { getScenario, parseScenario } from './scenario.ts';
import { SCENARIO_LIMIT } from './scenario-yaml.ts';

/** So many pieces as the limit lets in. */
function filled(piece: (index: number) => string): string {
  let text = '';
  for (let index = 0; ; index++) {
    const next = text + piece(index);
    if (next.length > SCENARIO_LIMIT.bytes) return text;
    text = next;
  }
}

function faultsOf(source: string) {
  const parsed = parseScenario(source);
  assert.ok(!parsed.ok);
  return parsed.faults;
}

/** Of processor time, so that other work on the machine counts little. */
const BOUND_MS = 1_000;

const HOSTILE: Record<string, string> = {
  'different keys': filled((index) => `k${index}: 1\n`),
  'the same key': filled(() => 'k: 1\n'),
  'nothing but errors': filled(() => ': : :\n\t- \n'),
  'ends of nothing': filled(() => '}'),
  'flow nesting': '['.repeat(SCENARIO_LIMIT.bytes),
  'block nesting': '- '.repeat(SCENARIO_LIMIT.bytes / 2),
  'explicit keys': '? '.repeat(SCENARIO_LIMIT.bytes / 2),
  'a chain of aliases': filled((index) => `a${index}: &a${index} [${index ? `*a${index - 1}` : 1}]\n`),
  'an alias of itself': 'a: &a [*a]',
  'a wide value many times': `a: &a [${'1,'.repeat(10_000)}1]\nb: [${'*a,'.repeat(90)}1]\n`,
};

for (const [name, source] of Object.entries(HOSTILE)) {
  test(`a text of ${name} is answered at once, with a bounded number of ordinary sentences`, () => {
    const start = process.cpuUsage();
    const faults = faultsOf(source);
    const { user, system } = process.cpuUsage(start);
    assert.ok((user + system) / 1000 < BOUND_MS, `${(user + system) / 1000} ms`);
    assert.ok(faults.length >= 1 && faults.length <= 51, `${faults.length} faults`);
    for (const { message, line, column } of faults) {
      assert.doesNotMatch(message, /call stack|\n/);
      assert.ok(message.length < 300 && line >= 1 && column >= 1);
    }
  });
}

test('of very many faults the first are told, and how many more there are', () => {
  const faults = faultsOf(`${'}\n'.repeat(60)}`);
  assert.equal(faults.length, 51);
  assert.deepEqual(faults[50], { path: '(file)', message: 'and 10 more', line: 51, column: 1 });
  const keys = Array.from({ length: 80 }, (_, index) => `k${index}: 1\n`).join('');
  assert.match(faultsOf(keys).at(-1)?.message ?? '', /^and \d+ more$/);
});

test('a key that is there twice is named with its line and column, however deep', () => {
  const faults = faultsOf('a:\n  - { b: 1, c: 2, "b": 3 }\na: 4\n');
  assert.deepEqual(
    faults.map(({ message, line, column }) => [message, line, column]),
    [
      ['Map keys must be unique', 2, 19],
      ['Map keys must be unique', 3, 1],
    ],
  );
});

test('a second document is refused where it begins', () => {
  assert.deepEqual(faultsOf('a: 1\n---\nb: 2\n')[0], {
    path: '(file)',
    message: 'A second document begins here',
    line: 2,
    column: 1,
  });
});

test('what nests too deeply is told with its place', () => {
  assert.deepEqual(faultsOf(`a:\n  ${'['.repeat(100)}`), [
    { path: '(file)', message: 'nests deeper than 64 levels', line: 2, column: 66 },
  ]);
});

test('a text beyond the limit is refused unread, its bytes counted and not its letters', () => {
  for (const source of [' '.repeat(SCENARIO_LIMIT.bytes + 1), 'é'.repeat(SCENARIO_LIMIT.bytes / 2 + 1)])
    assert.equal(faultsOf(source)[0]?.message, 'larger than a scenario can be (64 KB)');
});

/** The same value with every sentence twice as long, in letters of three bytes. */
function lengthened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lengthened);
  if (typeof value === 'string')
    return value.includes(' ') ? `${value} ${'重'.repeat(value.length / 3)}` : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, lengthened(item)]));
}

test('the longest scenario fits: sixty steps, long sentences, predictions and a hundred checks', () => {
  const short = getScenario('receipt/lost-ack');
  const init = short.steps[0];
  const rest = short.steps.slice(1);
  assert.ok(init);
  const steps = Array.from({ length: 59 }, (_, index) => {
    const step = rest[index % rest.length];
    return { ...step, label: `${step?.label}-${index}` };
  });
  const checks = Array.from({ length: 100 }, () => ({ ...short.checks[0], at: 'end' }));
  const long = { ...short, steps: [init, ...steps], checks };
  const source = scenarioYaml(lengthened(JSON.parse(JSON.stringify(long))) as Scenario);
  assert.ok(source.length > 30_000, `${source.length} characters`);
  const parsed = parseScenario(source);
  assert.ok(parsed.ok, JSON.stringify(parsed));
});
