/** Writes a `drill.yaml` that runs: a look at the folder, and flags for what cannot be seen. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { DrillError } from '../core/errors.ts';

export interface InitOptions {
  /** The command that does the work, in words: `python3 order.py submit`. */
  command?: string;
  setup?: string;
  /** A SQLite file that the program writes, relative to where it runs. */
  sqlite?: string;
  operation?: string;
}

const PROGRAMS: [RegExp, string][] = [
  [/\.py$/, 'python3'],
  [/\.(mjs|ts|js|cjs)$/, 'node'],
  [/\.sh$/, 'sh'],
];
const NOT_A_PROGRAM = /^(boundary\.|test_|conftest|setup\.|.*\.(test|config|d)\.)/;

/** The program of a folder: the one file of a language that we start by its interpreter. */
function guess(folder: string): string[] | null {
  const files = readdirSync(folder).sort();
  for (const [pattern, program] of PROGRAMS) {
    const found = files.filter((file) => pattern.test(file) && !NOT_A_PROGRAM.test(file));
    const file = found.find((one) => /^(main|worker|index|app)\./.test(one)) ?? found[0];
    if (file) return [program, `$LAB/${file}`];
  }
  return null;
}

/** Words of a command line as a person types it; files of the folder become `$LAB/...`. */
function wordsOf(text: string, folder: string): string[] {
  const words = [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
  return words.map((word) =>
    /^[\w./-]+$/.test(word) && word.includes('.') && existsSync(join(folder, word)) ? `$LAB/${word}` : word,
  );
}

const flow = (words: readonly string[]) => `[${words.map((word) => JSON.stringify(word)).join(', ')}]`;

/** The text of a new `drill.yaml`. */
export function draft(folder: string, options: InitOptions): string {
  const words = options.command ? wordsOf(options.command, folder) : guess(folder);
  if (!words)
    throw new DrillError(
      'usage',
      `There is no program to be seen in ${folder}: say --command "python3 worker.py".`,
    );
  const lab =
    basename(resolve(folder))
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-')
      .replace(/^[^a-z]+/, '') || 'my-lab';
  const sqlite = options.sqlite ?? 'data.sqlite';
  const operation = options.operation ?? 'o-1';
  const setup = options.setup ? `setup:\n  - ${flow(wordsOf(options.setup, folder))}\n` : '';
  return `lab: ${lab}
title: ${JSON.stringify(basename(resolve(folder)))}
${setup}
stores:
  main: { sqlite: ${JSON.stringify(sqlite)} }

# What a person looks at to see what survived. Put your own tables here.
panels:
  operation: { store: main, key: id, sql: "SELECT id, status FROM orders" }

operations: [${JSON.stringify(operation)}]
# The ground truth: one row for each effect, with a column named operation.
effects: { store: main, sql: "SELECT order_id AS operation FROM charges" }
settled: { panel: operation, cell: status, success: [done, paid] }

commands:
  work: { run: ${flow(words.includes('$operation') ? words : [...words])} }
procedure: [work]
recovery: [work]

invariants: [at-most-one-effect, success-has-its-effect, effect-gets-settled]
boundaries: { sources: [${words[0] === 'node' ? 'node' : 'code'}] }
`;
}

/** @throws DrillError `would-overwrite` where the folder has a drill.yaml, `usage` where no program is to be seen */
export function initProgram(folder: string, options: InitOptions): string {
  const file = join(folder, 'drill.yaml');
  const text = draft(folder, options);
  try {
    writeFileSync(file, text, { flag: 'wx' });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST')
      throw new DrillError('would-overwrite', `${file} is there already.`, { cause });
    throw new DrillError('unavailable', `${file} cannot be written: ${(cause as Error).message}.`, { cause });
  }
  return file;
}
