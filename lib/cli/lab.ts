/** `drill lab <lab> <command>`: one executor, its own exit code. */
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { dataDirectory } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { readNamedFile } from '../core/named-file.ts';
import { ended, whatThereIs } from '../core/nearest.ts';
import { isInside, makeDirectory } from '../core/paths.ts';
import { Control } from '../drill/control.ts';
import { Group } from '../drill/group.ts';
import type { StepSpec } from '../drill/model.ts';
import { checkArgs, checkStep } from '../drill/step-input.ts';
import { type RawEnd, startExecutor } from '../executor/launch.ts';
import { type ArgField, argFields } from '../labs/args.ts';
import { getLab } from '../labs/registry.ts';
import { parseFaultFlag } from './fault-flag.ts';

const JSON_LIMIT = { bytes: 1024 * 1024, says: 'an argument can be (1 MB)' };

export interface LabOptions {
  dir: string;
  fault: string[];
  now: number;
  without: string[];
  /** Everything behind the command: the lab command's own flags. */
  rest: string[];
}

function readJson(flag: string, text: string): Json {
  const inline = /^\s*[[{]/.test(text);
  const source = inline ? text : readNamedFile(text, JSON_LIMIT, 'malformed').toString('utf8');
  try {
    // Some editors put a mark of the encoding before the text.
    return JSON.parse(source.replace(/^\uFEFF/, '')) as Json;
  } catch {
    throw new DrillError('malformed', `--${flag}: ${inline ? 'this' : `what is in ${text}`} is not JSON.`);
  }
}

function flagValue(field: ArgField, text: string): Json {
  if (field.kind === 'json')
    return /^(true|false|null|-?\d+(\.\d+)?)$/.test(text) ? JSON.parse(text) : readJson(field.name, text);
  if (field.kind === 'number') {
    const number = Number(text);
    if (text.trim() === '' || Number.isNaN(number))
      throw new DrillError('malformed', `--${field.name}: "${text}" is not a number.`);
    return number;
  }
  if (field.kind === 'boolean') {
    if (text !== 'true' && text !== 'false')
      throw new DrillError('malformed', `--${kebab(field.name)} takes true or false, not "${text}".`);
    return text === 'true';
  }
  return text;
}

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Flags of a lab command, by the names of its arguments. A flag's value may begin with a hyphen: `--key=-x`. */
export function parseFlags(fields: readonly ArgField[], words: readonly string[]): JsonObject {
  const args: JsonObject = {};
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    const match = /^--([A-Za-z][\w-]*)(?:=([\s\S]*))?$/.exec(word);
    const field = fields.find(
      (candidate) => match && (candidate.name === match[1] || kebab(candidate.name) === match[1]),
    );
    if (!field) {
      const known = fields.map((candidate) => `--${kebab(candidate.name)}`);
      throw new DrillError(
        'usage',
        ended(`This command has no argument "${word}"; ${whatThereIs(word, known)}`),
      );
    }
    const next = words[index + 1];
    const bare = field.kind === 'boolean' && (next === undefined || next.startsWith('--'));
    if (match?.[2] === undefined && !bare) {
      if (next === undefined) throw new DrillError('usage', `--${kebab(field.name)} needs a value.`);
      index += 1;
    }
    args[field.name] = flagValue(field, match?.[2] ?? (bare ? 'true' : (next as string)));
  }
  return args;
}

/** A directory that a person named, as an absolute path. @throws DrillError `usage` for one that is not theirs to use */
function ownDirectory(named: string): string {
  // What a shell makes of a variable that is not set; it would mean the folder one stands in.
  if (named.trim() === '') throw new DrillError('usage', '--dir names no directory.');
  const dir = resolve(named);
  if (existsSync(dir) && !statSync(dir).isDirectory()) {
    throw new DrillError('usage', `${named} is a file; --dir takes a directory.`);
  }
  if (isInside(dir, dataDirectory()) || belongsToDashboard(dir)) {
    throw new DrillError(
      'usage',
      'This directory belongs to the dashboard; choose one of your own for --dir.',
    );
  }
  return dir;
}

/** Any dashboard's, not only that of this shell's DRILL_DATA_DIR. */
function belongsToDashboard(dir: string): boolean {
  if (existsSync(join(dir, 'dashboard.sqlite'))) return true;
  const up = dirname(dir);
  return up !== dir && belongsToDashboard(up);
}

function prepareDirectory(dir: string): void {
  try {
    makeDirectory(dir);
  } catch (cause) {
    throw new DrillError('unavailable', `The directory ${dir} cannot be made: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/**
 * Runs one lab command in a directory of the caller's.
 *
 * @returns the executor's own exit code; 128 + number for a death by signal
 * @throws DrillError for anything that cannot be asked for; nothing has been started then
 */
export async function runLabCommand(labId: string, command: string, options: LabOptions): Promise<number> {
  const lab = getLab(labId);
  const faults = options.fault.map(parseFaultFlag);
  const spec: StepSpec = {
    label: command,
    command,
    without: options.without,
    ...(faults.length > 0 ? { fault: faults } : {}),
  };
  const found = lab.commands.find((candidate) => candidate.name === command);
  if (!found) {
    const names = lab.commands.map(({ name }) => name);
    throw new DrillError(
      'usage',
      ended(`Lab ${labId} has no command "${command}"; ${whatThereIs(command, names)}`),
    );
  }
  checkStep(lab, spec, []);
  const args = checkArgs(lab, command, parseFlags(argFields(found), options.rest));
  const dir = ownDirectory(options.dir);
  if (command === 'init') prepareDirectory(dir);
  const scratch = mkdtempSync(join(tmpdir(), 'drill-control-'));
  try {
    const control = new Control(scratch, spec);
    const started = await startExecutor(lab.id);
    started.request({
      lab: lab.id,
      command,
      args,
      dir,
      control: control.dir,
      now: options.now,
      without: options.without,
      owner: process.pid,
    });
    const group = new Group(started);
    const stop = () => group.kill();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    if (control.holds().length > 0) announceHold(control, group);
    const end = await started.end;
    if (end.stdout) process.stdout.write(end.reply ? `${JSON.stringify(end.reply)}\n` : end.stdout);
    if (end.stderr) process.stderr.write(end.stderr);
    if (end.reply?.message && end.code !== 0) process.stderr.write(`${end.reply.message}\n`);
    tellFaults(control, end);
    if (end.signal) return 128 + (constants.signals[end.signal as NodeJS.Signals] ?? 0);
    return end.code ?? 70;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What became of the faults: a death by one leaves no reply, and one that was never reached no trace. */
function tellFaults(control: Control, end: RawEnd): void {
  const fired = control.fired(control.trace());
  for (const fault of control.faults) {
    const place = fault.role === 'executor' ? fault.at : `${fault.role}/${fault.at}`;
    if (!fired.includes(fault)) process.stderr.write(`The fault at ${place} was never reached.\n`);
    else if (fault.action !== 'hold' && !end.reply)
      process.stderr.write(`Died at ${place}, as asked; there is no reply.\n`);
  }
}

/** Says where an executor is held, and which file lets it go on. */
function announceHold(control: Control, group: Group): void {
  const timer = setInterval(() => {
    const place = group.held(control.trace())[0];
    if (!place) return;
    clearInterval(timer);
    process.stderr.write(`Held at ${place.at}, process ${place.pid}. It goes on when this file exists:\n`);
    process.stderr.write(`${join(control.dir, `release-${place.pid}-${place.at}-${place.hit}`)}\n`);
  }, 10);
  timer.unref();
}
