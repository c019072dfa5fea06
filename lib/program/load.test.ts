import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readFileSync } from '../core/fs.ts';
import { projectRoot } from '../core/project-root.ts';
import { loadProgram, parseProgram } from './load.ts';
import { programJsonSchema } from './schema.ts';
import { type Change, smallLab, smallYaml } from './testing/lab.ts';

function faultsOf(...changes: Change[]): string[] {
  const parsed = parseProgram(smallYaml(...changes), null);
  return parsed.ok ? [] : parsed.faults.map((f) => `${f.line}:${f.column} ${f.path}: ${f.message}`);
}

test('the small lab is sound', () => assert.deepEqual(faultsOf(), []));

test('every fault of a drill.yaml is said with its path, line and column', () => {
  const cases: [Change, RegExp][] = [
    [['title: Small', 'titel: Small'], /2:1 titel: "titel" is not known here\. Did you mean "title"\?/],
    [['sqlite: data.sqlite', 'sqlite: ../data.sqlite'], /6:11 stores\.main\.sqlite: .* may not leave it/],
    [['sqlite: data.sqlite', 'sqlite: /etc/passwd'], /6:11 stores\.main\.sqlite: .* may not leave it/],
    [['sqlite: data.sqlite', 'mysql: x'], /stores\.main\.mysql: "mysql" is not known here/],
    [['$LAB/program.mjs, init', '$LAB/../x.mjs, init'], /4:12 setup\[0\]\[1\]: .* leads out of the folder/],
    [['submit, $operation', 'submit, $HOME'], /There is no variable \$HOME here\. Only env may name/],
    [
      ['submit, $operation', 'submit, $operatoin'],
      /There is no variable \$operatoin here\. Did you mean "operation"\?/,
    ],
    [
      ['procedure: [submit]', 'procedure: [sumbit]'],
      /14:13 procedure\[0\]: There is no command "sumbit"\. Did you mean "submit"\?/,
    ],
    [
      ['operation: { store: main', 'operation: { store: mian'],
      /There is no store "mian"\. Did you mean "main"\?/,
    ],
    [['within: 5s', 'within: 5'], /commands\.submit\.within: must be a text/],
    [['within: 5s', 'within: soon'], /a time is a number with its unit/],
    [['violates: [at-most-one-effect]', 'violates: [none]'], /There is no invariant "none"/],
    [['setup:', 'env: { DRILL_CONTROL: x }\nsetup:'], /DRILL_CONTROL is given by the drill/],
    [
      ['setup:', 'services: { pg: { postgres: embedded, redis: embedded } }\nsetup:'],
      /a service has exactly one of/,
    ],
    [['setup:', 'services: { web: { http: "http://x" } }\nsetup:'], /an http service needs reset/],
    [['operations: [o-1]', 'operations: [o-1, o-1]'], /"o-1" is there twice/],
    [['title: Small', 'title: Small\ntitle: Other'], /3:1 \(file\): Map keys must be unique/],
    [['title: Small', 'title: [Small'], /\(file\): /],
  ];
  for (const [change, sentence] of cases) {
    const faults = faultsOf(change);
    assert.ok(
      faults.length > 0 && faults.some((fault) => sentence.test(fault)),
      `${change[1]}: ${faults.join('\n')}`,
    );
  }
});

test('deep nesting and multiplying aliases are refused', () => {
  const deep = parseProgram('['.repeat(50_000), null);
  assert.equal(deep.ok, false);
  const aliases = parseProgram(
    `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}]\nc: &c [${'*b,'.repeat(9)}]\nd: [${'*c,'.repeat(9)}]`,
    null,
  );
  assert.equal(aliases.ok, false);
});

test('a link out of the folder and a program that is not there are refused', (t) => {
  const { folder, file } = smallLab(t, { yaml: [['$LAB/program.mjs, init', '$LAB/link/passwd, init']] });
  mkdirSync(join(folder, 'in'));
  symlinkSync('/etc', join(folder, 'link'));
  assert.throws(
    () => loadProgram(file),
    /drill\.yaml:4:12 .* is a link that leads out of the folder of the file\./,
  );
  writeFileSync(file, smallYaml(['run: [node, ', 'run: [no-such-program, ']));
  assert.throws(() => loadProgram(file), /There is no program "no-such-program" on PATH\./);
});

test('the published JSON Schema is the one of the format', () => {
  const text = readFileSync(join(projectRoot(), 'public', 'drill.schema.json'), 'utf8');
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(programJsonSchema())));
});
