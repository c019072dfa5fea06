/** A small program lab in a folder of its own, to be broken in one place. */
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { TestContext } from 'node:test';
import { projectRoot } from '../../core/project-root.ts';
import { endProcessesOf } from '../scratch.ts';

// Commands of the labs say "node": the one that runs the tests.
process.env.PATH = `${join(process.execPath, '..')}${delimiter}${process.env.PATH}`;

const PROGRAM = `
import { DatabaseSync } from 'node:sqlite';
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { boundary } from './boundary.mjs';
const db = new DatabaseSync('data.sqlite', { timeout: 5000 });
const [command, id] = process.argv.slice(2);
if (command === 'init') {
  db.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT, at INTEGER); CREATE TABLE charges (n INTEGER PRIMARY KEY, order_id TEXT)');
} else {
  db.prepare("INSERT INTO orders VALUES (?, 'pending', 0) ON CONFLICT DO NOTHING").run(id);
  boundary('after-intent');
  if (db.prepare('SELECT status FROM orders').get().status !== 'paid') {
    db.prepare('INSERT INTO charges (order_id) VALUES (?)').run(id);
    boundary('after-charge');
    db.prepare("UPDATE orders SET status = 'paid'").run();
    boundary('after-record');
  }
  //MORE
}
`;

const YAML = `lab: small
title: Small
setup:
  - [node, $LAB/program.mjs, init]
stores:
  main: { sqlite: data.sqlite }
panels:
  operation: { store: main, key: id, sql: "SELECT * FROM orders" }
operations: [o-1]
effects: { store: main, sql: "SELECT order_id AS operation FROM charges" }
settled: { panel: operation, cell: status, success: [paid] }
commands:
  submit: { run: [node, $LAB/program.mjs, submit, $operation], within: 5s }
procedure: [submit]
recovery: [submit]
invariants: [at-most-one-effect, success-has-its-effect, effect-gets-settled]
variants:
  plain: { violates: [at-most-one-effect] }
`;

export type Change = [from: string, to: string];

function changed(text: string, changes: readonly Change[]): string {
  return changes.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`the text has no ${from}`);
    return now.replace(from, () => to);
  }, text);
}

/** The text of the small drill.yaml with changes. */
export const smallYaml = (...changes: Change[]): string => changed(YAML, changes);

/** A folder with the lab; it is removed after the test. */
export function smallLab(
  t: TestContext,
  { yaml = [], more = '' }: { yaml?: Change[]; more?: string } = {},
): { folder: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'drill-lab-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(join(projectRoot(), 'public', 'helpers', 'boundary.mjs'), join(folder, 'boundary.mjs'));
  writeFileSync(join(folder, 'program.mjs'), changed(PROGRAM, [['//MORE', more]]));
  const file = join(folder, 'drill.yaml');
  writeFileSync(file, changed(YAML, yaml));
  return { folder, file };
}

/** What this process has left: folders of sweeps, and processes that work in them. */
export function leftBehind(): string[] {
  const own = `drill-program-${process.pid}-`;
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith(own));
  const processes = readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`DRILL_STEP=${join(tmpdir(), own)}`);
    } catch {
      return false;
    }
  });
  for (const name of folders) endProcessesOf(join(tmpdir(), name));
  return [...folders, ...processes];
}
