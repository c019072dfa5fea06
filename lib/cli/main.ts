/** The command line. Every verb has --json; refusals are one sentence on standard error. */
import { Command, CommanderError, Option } from 'commander';
import { DrillError, EXIT } from '../core/errors.ts';
import { scenariosOf } from '../drill/scenario.ts';
import { labs } from '../labs/registry.ts';
import { environment } from '../operations/environment.ts';
import { listInvestigations } from '../operations/list-investigations.ts';
import { ownScenarios } from '../operations/own-scenarios.ts';
import { bundleVerbs } from './bundle.ts';
import { doctor } from './doctor.ts';
import { inspectDir } from './inspect.ts';
import { runLabCommand } from './lab.ts';
import { matrixCommand, parseDepth } from './matrix.ts';
import { oracleDocument } from './oracle.ts';
import { programVerbs } from './program.ts';
import { runCommand } from './run.ts';
import { safeguardsCommand } from './safeguards.ts';

const collect = (value: string, list: string[]) => [...list, value];
const collectOnce = (value: string, list: string[]) => [...new Set([...list, value])];
const json = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
};
const without = () =>
  new Option('--without <safeguard>', 'switch a safeguard off (several)')
    .argParser(collectOnce)
    .default([] as string[]);

function list(options: { json?: boolean }): void {
  const own = ownScenarios();
  const entries = labs.map((lab) => ({
    lab,
    scenarios: [
      ...scenariosOf(lab.id).map((scenario) => ({ ...scenario, yours: false })),
      ...own.scenarios.filter((one) => one.lab === lab.id).map((scenario) => ({ ...scenario, yours: true })),
    ],
  }));
  for (const { file, fault } of own.broken)
    process.stderr.write(`${file}:${fault.line}:${fault.column} ${fault.message}\n`);
  if (options.json) {
    json(
      entries.map(({ lab, scenarios }) => ({
        lab: lab.id,
        title: lab.title,
        summary: lab.summary,
        scenarios: scenarios.map(({ id, text, yours }) => ({
          id,
          title: text.title,
          question: text.question,
          yours,
        })),
      })),
    );
    return;
  }
  for (const { lab, scenarios } of entries) {
    process.stdout.write(`${lab.id}: ${lab.summary}\n`);
    for (const scenario of scenarios)
      process.stdout.write(
        `  ${scenario.id.padEnd(44)} ${scenario.yours ? 'yours: ' : ''}${scenario.text.title}\n`,
      );
  }
}

function clock(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0) {
    throw new DrillError(
      'malformed',
      `--now: the clock is a whole number of ticks from 0 on, not "${text}".`,
    );
  }
  return value;
}

function sweepVerbs(verb: (name: string) => Command, exit: (code: number) => void): void {
  verb('matrix <lab>')
    .description('crash at every boundary, in every way, then recover to the end')
    .option('--depth <faults>', 'faults in a cell, 1 to 3', parseDepth, 1)
    .addOption(without())
    .option('--junit <file>', 'write a JUnit report')
    .action(async (lab: string, options) => exit(await matrixCommand(lab, options)));
  verb('safeguards <lab>')
    .description('switch off each rule in turn: which invariant fails then')
    .option('--pairs', 'and each two of them')
    .action(async (lab: string, options) => exit(await safeguardsCommand(lab, options)));
}

function build(exit: (code: number) => void): Command {
  const program = new Command('drill');
  program
    .description('Kill a real process between two commits, look at what survived, decide from evidence.')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeErr: (text) => process.stderr.write(text) });
  const verb = (name: string) => program.command(name).option('--json', 'print JSON').exitOverride();
  verb('list').description('labs and their scenarios').action(list);
  verb('oracle <lab>')
    .description('reproduce the published document of a lab from real processes')
    .addOption(without())
    .action(async (lab: string, options: { without: string[] }) =>
      json(await oracleDocument(lab, options.without)),
    );
  verb('run [scenario]')
    .description('run a scenario, a scenario file, or all of them')
    .option('--all', 'every scenario')
    .option('--lab <lab>', 'with --all: of one lab')
    .option('--keep', 'store the run for the dashboard')
    .option('--cold', 'start every executor afresh')
    .option('--quiet', 'the verdict and its reasons, without the steps')
    .addOption(without())
    .option('--junit <file>', 'write a JUnit report')
    .action(async (target: string | undefined, options) => exit(await runCommand(target, options)));
  verb('lab <lab> <command> [arguments...]')
    .description('one executor in a directory of your own; its exit code is the answer')
    .requiredOption('--dir <dir>', 'where the databases are')
    .option('--fault <fault>', '[role/]boundary[#hit][:exit|kill|abort|hold] (several)', collect, [])
    .option('--now <ticks>', 'the logical clock', clock, 0)
    .addOption(without())
    .allowUnknownOption()
    .action(async (lab: string, command: string, rest: string[], options) => {
      exit(await runLabCommand(lab, command, { ...options, rest }));
    });
  sweepVerbs(verb, exit);
  bundleVerbs(verb, exit);
  programVerbs(verb, exit);
  verb('inspect')
    .description('evidence of a directory, read without changing it')
    .requiredOption('--dir <dir>', 'where the databases are')
    .option('--lab <lab>', 'which lab they belong to')
    .action((options: { dir: string; lab?: string }) => json(inspectDir(options.dir, options.lab)));
  verb('investigations')
    .description('what nobody could decide in the kept runs, and where to look')
    .action(async (options: { json?: boolean }) => {
      const open = await listInvestigations();
      if (options.json) return json(open);
      const lines = open.map(({ run, operation, since, owner, effect, missing, where }) =>
        [
          `${operation}, run ${run}${since ? `, since step ${since}` : ''}${owner ? `, owner ${owner}` : ''}`,
          `  unknown: ${effect}`,
          `  missing: ${missing}`,
          `  look in: ${where}`,
        ].join('\n'),
      );
      process.stdout.write(`${lines.join('\n') || 'Nothing is open.'}\n`);
    });
  verb('doctor')
    .description('what this machine is, and whether drills can be trusted on it')
    .action(async (options: { json?: boolean }) => exit(doctor(await environment(), options.json ?? false)));
  return program;
}

/** What the operating system answers where a disk is full or missing, or nothing more can be opened. */
const MACHINE = [
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EACCES',
  'ENOENT',
  'EIO',
  'SQLITE_FULL',
];

function complain(error: unknown, words: readonly string[]): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof DrillError) {
    const { code, message, exit, definite } = error;
    process.stderr.write(`${message}\n`);
    // Whoever reads JSON gets a refusal as an executor would answer it, behind nothing else.
    const readsJson = words[0] === 'lab' || words.includes('--json');
    if (readsJson && process.stdout.bytesWritten === 0) {
      json({ status: 'refused', error: code, message, definite });
    }
    return exit;
  }
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  if (code !== undefined && MACHINE.includes(code)) {
    process.stderr.write(`This machine could not go on: ${message}. Free some space, or set TMPDIR.\n`);
    return EXIT.machine;
  }
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  return EXIT.defect;
}

/**
 * Runs one command line.
 *
 * @param words what stands behind `drill`
 * @returns the exit code; refusals are printed, not thrown
 */
export async function main(words: readonly string[]): Promise<number> {
  let code = 0;
  try {
    await build((value) => {
      code = value;
    }).parseAsync(words, { from: 'user' });
    return code;
  } catch (error) {
    return complain(error, words);
  }
}
