/** The repository reads itself: import directions, sizes, links, citations. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { projectRoot } from './core/project-root.ts';

const root = projectRoot();
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const code = files.filter((file) => /\.(ts|tsx)$/.test(file) && !file.endsWith('.d.ts'));

interface Import {
  file: string;
  target: string;
  typeOnly: boolean;
  /** Loaded when it is needed, not at the start. */
  deferred: boolean;
}

function targetOf(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(dirname(file), specifier);
  return specifier.startsWith('#') ? specifier.slice(1) : specifier;
}

/** What a text imports, by statements, by `import('...')`, and by types such as `import('...').Name`. */
function importsIn(file: string, text: string): Import[] {
  const found: Import[] = [];
  const statement = /^(?:import|export)\s+(type\s+)?([^'"]*?\s+from\s+)?['"]([^'"]+)['"]/gms;
  for (const match of text.matchAll(statement)) {
    const allTypes = /^\{(\s*type\s+\w+[^,}]*,?)+\s*\}/.test((match[2] ?? '').trim());
    const target = targetOf(file, match[3] as string);
    found.push({ file, target, typeOnly: match[1] !== undefined || allTypes, deferred: false });
  }
  const expression = /(:\s*|<|\btypeof\s+)?\bimport\(\s*['"]([^'"]+)['"]\s*\)(\.[A-Z]\w*)?/g;
  for (const match of text.matchAll(expression)) {
    const typeOnly = match[1] !== undefined || match[3] !== undefined;
    found.push({ file, target: targetOf(file, match[2] as string), typeOnly, deferred: true });
  }
  return found;
}

const imports = (file: string) => importsIn(file, read(file));

test('an import is seen in every form', () => {
  const text = [
    "import a from './a.ts';",
    "const b = await import('./b.ts');",
    "type C = Promise<import('#lib/c.ts').C>;",
    "let d: typeof import('./d.ts');",
  ].join('\n');
  assert.deepEqual(
    importsIn('app/x.ts', text).map(({ target, typeOnly }) => [target, typeOnly]),
    [
      ['app/a.ts', false],
      ['app/b.ts', false],
      ['lib/c.ts', true],
      ['app/d.ts', true],
    ],
  );
});

const all = code.flatMap(imports);
const isTest = (file: string) =>
  /\.test\.tsx?$|\.property\.ts$|(^|\/)test(s|ing)?\//.test(file) || file.startsWith('e2e/');

/** What a folder may take values from; types may come from anywhere below `lib`. */
const ALLOWED: [RegExp, RegExp][] = [
  [/^lib\/core\//, /^(node:|lib\/core\/)/],
  [/^lib\/boundary\//, /^(node:|lib\/boundary\/)/],
  [/^lib\/sqlite\//, /^(node:|better-sqlite3$|lib\/(core|boundary|sqlite)\/)/],
  [/^lib\/evidence\//, /^(node:|lib\/(core|sqlite|evidence)\/)/],
  // The compiler is a program of its own that nobody imports.
  [/^lib\/executor\/compile\.ts/, /^(node:|esbuild$|lib\/(core|executor)\/|lib\/labs\/registry)/],
  [/^lib\/executor\//, /^(?!lib\/executor\/compile)(node:|lib\/(core|executor|labs|boundary|sqlite)\/)/],
  [/^lib\/drill\//, /^(?!app\/|db\/|lib\/(operations|cli)\/|next)/],
  [/^db\//, /^(?!app\/|lib\/(operations|cli|drill)\/|next)/],
  [/^lib\/operations\//, /^(?!app\/|lib\/cli\/|next)/],
  [/^lib\/cli\//, /^(?!app\/|next)/],
];

test('imports go one way', () => {
  const breaches = all.filter(({ file, target, typeOnly }) => {
    if (isTest(file) || typeOnly) return false;
    const rule = ALLOWED.find(([where]) => where.test(file));
    return rule !== undefined && !rule[1].test(target);
  });
  assert.deepEqual(breaches, []);
});

test('a lab imports core, boundary, sqlite, evidence reading and its own folder, never another lab', () => {
  const breaches = all.filter(({ file, target, typeOnly }) => {
    const lab = /^lib\/labs\/([^/]+)\//.exec(file)?.[1];
    if (!lab || isTest(file) || !/^(lib|db|app)\//.test(target)) return false;
    if (target.startsWith(`lib/labs/${lab}/`) || target.startsWith('lib/labs/kit/')) return false;
    if (/^lib\/labs\/[^/]+\//.test(target)) return true;
    return !typeOnly && !/^lib\/(core|boundary|sqlite|evidence)\//.test(target);
  });
  assert.deepEqual(breaches, []);
});

test('the registry imports manifests, never commands', () => {
  const targets = all
    .filter(({ file, typeOnly }) => file === 'lib/labs/registry.ts' && !typeOnly)
    .map((i) => i.target);
  assert.deepEqual(
    targets.filter((target) => !/^lib\/(core\/|labs\/[^/]+\/manifest\.ts$)/.test(target)),
    [],
  );
});

/** Every file that an entry loads, values only, by following imports; at its start, or ever. */
function reach(entry: string, atStart = false): Set<string> {
  const seen = new Set<string>();
  const queue = [entry];
  for (let file = queue.pop(); file; file = queue.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const { target, typeOnly, deferred } of all.filter((i) => i.file === file)) {
      if (!typeOnly && !(atStart && deferred)) queue.push(target);
    }
  }
  return seen;
}

const EXECUTOR = ['lib/executor/main.ts', 'lib/executor/serve.ts'];

test('an executor loads neither Zod nor YAML nor a manifest', () => {
  const entries = code.filter((file) => /^lib\/labs\/[^/]+\/(commands|damage)\.ts$/.test(file));
  assert.ok(entries.length > 0);
  for (const entry of [...EXECUTOR, ...entries]) {
    const loaded = [...reach(entry)].filter((file) => /^(zod|yaml)$|manifest\.ts$/.test(file));
    assert.deepEqual(loaded, [], entry);
  }
});

test('what an executor or a child of one loads takes node:fs without its facade', () => {
  const entries = code.filter((file) =>
    /^lib\/labs\/[^/]+\/(commands|damage|receiver|server)\.ts$/.test(file),
  );
  const loaded = new Set([...EXECUTOR, ...entries].flatMap((entry) => [...reach(entry, true)]));
  const breaches = all.filter(
    ({ file, target, typeOnly }) => target === 'node:fs' && !typeOnly && loaded.has(file),
  );
  assert.deepEqual(breaches, []);
});

test('client components import no values from lib or db', () => {
  const clients = new Set(code.filter((file) => /^['"]use client['"]/.test(read(file))));
  const breaches = all.filter((i) => clients.has(i.file) && !i.typeOnly && /^(lib|db)\//.test(i.target));
  assert.deepEqual(breaches, []);
});

test('no file is longer than 400 lines', () => {
  const long = code
    .map((file) => ({ file, lines: read(file).split('\n').length - 1 }))
    .filter((f) => f.lines > 400);
  assert.deepEqual(long, []);
});

/** Functions by indentation: the formatter closes every block at the column where its statement began. */
function longFunctions(file: string): { file: string; line: number; lines: number }[] {
  const lines = read(file).split('\n');
  const start =
    /^(\s*)(export\s+)?(default\s+)?(async\s+)?(function\b|(private\s+|static\s+|protected\s+)*(async\s+)?[\w#]+\(.*\{$|const \w+ = (async )?\(?.*=> \{$)/;
  return lines.flatMap((text, index) => {
    const match = start.exec(text);
    if (!match || /^\s*(if|for|while|switch|catch|return|test|describe|await)\b/.test(text)) return [];
    const end = lines.findIndex(
      (candidate, at) => at > index && candidate.startsWith(`${match[1]}}`) && !/^\s*\}[:)>]/.test(candidate),
    );
    const count = end - index + 1;
    return end !== -1 && count > 70 ? [{ file, line: index + 1, lines: count }] : [];
  });
}

test('no function is longer than 70 lines', () => {
  assert.deepEqual(code.filter((file) => !isTest(file)).flatMap(longFunctions), []);
});

test('no link in a Markdown file is dead', () => {
  const dead = files
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
        .map((match) => posix.join(dirname(file), match[1] as string))
        .filter((target) => !existsSync(join(root, target)))
        .map((target) => ({ file, target })),
    );
  assert.deepEqual(dead, []);
});

/** Documents that comments cite by a name with an ending: `DESIGN.md`, `docs/protocol.md`. */
function citedIn(text: string): string[] {
  const comments = text.match(/\/\*[\s\S]*?\*\/|(?<![:'"`/])\/\/.*$/gm) ?? [];
  return comments.flatMap((comment) => comment.match(/(?<![\w/])[\w.-][\w./-]*\.md\b/g) ?? []);
}

/** Files that the program writes, not this repository. */
const WRITTEN = ['REPORT.md'];

test('a comment cites documents of this repository alone', () => {
  assert.deepEqual(citedIn('/** As docs/a.md says. */\n// b.md\nconst url = "https://x.md";'), [
    'docs/a.md',
    'b.md',
  ]);
  const sources = code.filter((file) => file !== 'lib/architecture.test.ts');
  const dead = sources.flatMap((file) =>
    citedIn(read(file))
      .filter((name) => !WRITTEN.includes(name))
      .filter((name) => ![name, posix.join(dirname(file), name)].some((path) => existsSync(join(root, path))))
      .map((name) => ({ file, name })),
  );
  assert.deepEqual(dead, []);
});
