/** Verbs for program labs: check, sweep, merge, init. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DrillError } from '../core/errors.ts';
import { initProgram } from '../program/init.ts';
import { loadProgram } from '../program/load.ts';
import { mergeSweeps, readSweep } from '../program/merge.ts';
import type { SweepResult } from '../program/model.ts';
import { matrixText, testCases } from '../program/report.ts';
import { SOURCES, type Source } from '../program/schema.ts';
import { requireSource } from '../program/sources.ts';
import { sweepProgram } from '../program/sweep.ts';
import { progress } from './matrix.ts';
import { exitOf, junit, requireWritable, writeReport } from './run.ts';

interface SweepFlags {
  depth: number;
  source?: Source[];
  variant?: string[];
  shard?: { index: number; of: number };
  repeat: number;
  junit?: string;
  out?: string;
  json?: boolean;
}

function depth(text: string): number {
  if (/^[12]$/.test(text)) return Number(text);
  throw new DrillError('usage', `--depth: a cell of a program lab has 1 or 2 faults, not "${text}".`);
}

function shard(text: string): { index: number; of: number } {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text)?.map(Number) ?? [];
  if (index && of && index <= of) return { index, of };
  throw new DrillError('usage', `--shard: a shard is 3/8, the third of eight, not "${text}".`);
}

function repeat(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new DrillError('usage', `--repeat: a sweep is repeated 1 to 1000 times, not "${text}".`);
}

function source(text: string, before: Source[] = []): Source[] {
  if (SOURCES.includes(text as Source)) return [...before, text as Source];
  throw new DrillError('usage', `--source: boundaries come from code, node or wire, not from "${text}".`);
}

function show(result: SweepResult, flags: { json?: boolean; junit?: string; out?: string }): number {
  process.stdout.write(flags.json ? `${JSON.stringify(result, null, 2)}\n` : matrixText(result));
  if (flags.out) writeFileSync(flags.out, `${JSON.stringify(result, null, 2)}\n`);
  writeReport(flags.junit, () => junit(testCases(result)));
  return exitOf(result.verdict);
}

async function sweep(file: string, flags: SweepFlags): Promise<number> {
  const lab = loadProgram(file);
  requireWritable(flags.junit);
  requireWritable(flags.out);
  const line = progress();
  const once = () =>
    sweepProgram(lab, {
      depth: flags.depth,
      ...(flags.source ? { sources: flags.source } : {}),
      ...(flags.variant ? { variants: flags.variant } : {}),
      shard: flags.shard ?? null,
      onPart: (name, size) => line.layer(name, size),
      onCell: () => line.cell(),
    });
  const first = await once().finally(() => line.end());
  let different = 0;
  for (let turn = 2; turn <= flags.repeat; turn++) {
    const next = await once().finally(() => line.end());
    if (JSON.stringify(next) !== JSON.stringify(first)) different += 1;
  }
  const code = show(first, flags);
  if (flags.repeat > 1) process.stderr.write(`${flags.repeat} sweeps: ${different} differ from the first\n`);
  return different > 0 && code === 0 ? 2 : code;
}

async function check(file: string, json: boolean): Promise<number> {
  const { spec, digest } = loadProgram(file);
  for (const one of spec.boundaries.sources) await requireSource(one, spec);
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  if (json)
    process.stdout.write(`${JSON.stringify({ lab: spec.lab, title: spec.title, digest }, null, 2)}\n`);
  else
    process.stdout.write(
      `${file}: ${spec.lab} is sound: ${count(Object.keys(spec.stores).length, 'store')}, ${count(spec.procedure.length, 'step')}, ${count(spec.invariants.length, 'invariant')}, ${count(Object.keys(spec.variants).length, 'variant')}, boundaries from ${spec.boundaries.sources.join(', ')}\n`,
    );
  return 0;
}

/** This machine could not: docs/protocol.md. */
const MACHINE = 74;

/** Runs a verb; what the machine could not do has an exit code of its own. */
async function orMachine(work: Promise<number>): Promise<number> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DrillError) || error.code !== 'unavailable') throw error;
    process.stderr.write(`${error.message}\n`);
    return MACHINE;
  }
}

/** Adds the verbs. `exit` takes the exit code: 0 holds, 1 violated, 2 unknown. */
export function programVerbs(verb: (name: string) => Command, exit: (code: number) => void): void {
  verb('check <file>')
    .description('a drill.yaml of your own program: is it sound?')
    .action(async (file: string, flags: { json?: boolean }) =>
      exit(await orMachine(check(file, flags.json ?? false))),
    );
  verb('sweep <file>')
    .description('crash your own program at every boundary, then recover to the end')
    .option('--depth <faults>', 'faults in a cell, 1 or 2', depth, 1)
    .option('--source <source>', 'code, node or wire (several); what the file names if left out', source)
    .option('--variant <name>', 'one variant (several)', (text: string, before: string[] = []) => [
      ...before,
      text,
    ])
    .option('--shard <i/n>', 'every n-th cell only, for many machines', shard)
    .option('--repeat <times>', 'sweep so often and count the differences', repeat, 1)
    .option('--junit <file>', 'write a JUnit report')
    .option('--out <file>', 'write the result, for drill merge')
    .action(async (file: string, flags: SweepFlags) => exit(await orMachine(sweep(file, flags))));
  verb('merge <files...>')
    .description('join what the shards of a sweep wrote')
    .option('--junit <file>', 'write a JUnit report')
    .option('--out <file>', 'write the result')
    .action((files: string[], flags: { json?: boolean; junit?: string; out?: string }) => {
      requireWritable(flags.junit);
      exit(show(mergeSweeps(files.map(readSweep)), flags));
    });
  verb('init [folder]')
    .description('write a drill.yaml for the program in a folder')
    .option('--command <words>', 'the command that does the work: "python3 worker.py"')
    .option('--setup <words>', 'the command that makes its databases')
    .option('--sqlite <file>', 'a SQLite file that it writes, relative to where it runs')
    .option('--operation <id>', 'the operation that one run asks for')
    .action((folder: string | undefined, flags) => {
      process.stdout.write(`${initProgram(folder ?? '.', flags)}\n`);
    });
}
