/** Reads a `drill.yaml`: every fault with its path, line and column, in one sentence. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { DrillError } from '../core/errors.ts';
import { readNamedFile } from '../core/named-file.ts';
import { issueWords } from '../drill/issue-words.ts';
import { didYouMean } from './did-you-mean.ts';
import { referenceFaults } from './references.ts';
import { type ProgramSpec, programSchema } from './schema.ts';

export interface Fault {
  path: string;
  message: string;
  line: number;
  column: number;
}
export type Path = (string | number)[];
/** A fault before it has a place in the text. */
export interface Finding {
  path: Path;
  message: string;
}

/** A `drill.yaml` that is sound. */
export interface ProgramLab {
  file: string;
  /** Real path of the folder of the file: `$LAB`. */
  folder: string;
  /** SHA-256 of the file's bytes. A changed file is a new load. */
  digest: string;
  spec: ProgramSpec;
}

const LIMIT = { bytes: 256 * 1024, says: 'a drill.yaml can be (256 KB)' };
const MAX_FAULTS = 50;

type Issue = z.core.$ZodIssue;

/** The alternative of a union that the input is nearest to: the one whose faults lie deepest. */
function nearest(branches: readonly Issue[][]): Issue[] {
  const depth = (issues: Issue[]) => Math.max(...issues.map((issue) => issue.path.length));
  const kindFits = (issues: Issue[]) =>
    issues.every((issue) => issue.path.length > 0 || issue.code !== 'invalid_type');
  const fitting = branches.filter(kindFits);
  return (fitting.length > 0 ? fitting : branches).toSorted((a, b) => depth(b) - depth(a))[0] ?? [];
}

interface Known {
  keys: readonly string[];
}

function flatten(issue: Issue, at: Path, known: Map<string, Known>): Finding[] {
  const path = [...at, ...(issue.path as Path)];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const found = nearest(issue.errors as Issue[][]).flatMap((inner) => flatten(inner, path, known));
    if (found.length > 0) return found;
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `"${key}" is not known here.${didYouMean(key, known.get(issue.keys.join('\n'))?.keys ?? [])}`,
    }));
  }
  if (issue.code === 'invalid_key') {
    return (issue.issues as Issue[]).map((inner) => ({ path, message: inner.message }));
  }
  return [{ path, message: issue.message }];
}

function check(value: unknown): { spec: ProgramSpec } | { findings: Finding[] } {
  const known = new Map<string, Known>();
  const parsed = programSchema.safeParse(value, {
    error(issue) {
      const shape = (issue.inst as { shape?: object } | undefined)?.shape;
      if (issue.code === 'unrecognized_keys' && shape)
        known.set((issue as { keys: string[] }).keys.join('\n'), { keys: Object.keys(shape) });
      return issueWords(issue);
    },
  });
  if (parsed.success) return { spec: parsed.data };
  return { findings: parsed.error.issues.flatMap((issue) => flatten(issue, [], known)) };
}

/** "a.b[2]" of a path. */
function pathText(path: Path): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
}

/** Where a path begins in the text: a name at its key, else the nearest thing around it that is there. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const around = document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const pair = isMap(around)
      ? around.items.find(({ key }) => isScalar(key) && String(key.value) === String(last))
      : undefined;
    const node = pair ? pair.key : document.getIn(path.slice(0, length), true);
    const range = (node as { range?: [number] } | undefined)?.range;
    if (range) return range[0];
  }
  return (document.contents as { range?: [number] } | null)?.range?.[0] ?? 0;
}

/**
 * Reads the text of a `drill.yaml`.
 *
 * @param folder real path of its folder; null leaves out what only the file system can tell
 * @returns the lab, or its faults in the order of the text. Throws nothing
 */
export function parseProgram(
  source: string,
  folder: string | null,
): { ok: true; spec: ProgramSpec } | { ok: false; faults: Fault[] } {
  const counter = new LineCounter();
  const place = (offset: number) => {
    const { line, col } = counter.linePos(offset);
    return { line, column: col };
  };
  const whole = (message: string, offset = 0): { ok: false; faults: Fault[] } => ({
    ok: false,
    faults: [{ path: '(file)', message, ...place(offset) }],
  });
  try {
    const document = parseDocument(source, { lineCounter: counter, prettyErrors: false, logLevel: 'error' });
    const broken = document.errors[0];
    if (broken) return whole(`${broken.message.split('\n')[0]}.`.replace(/\.\.$/, '.'), broken.pos[0]);
    const result = check(document.toJS({ maxAliasCount: 100 }));
    const findings = 'findings' in result ? result.findings : referenceFaults(result.spec, folder);
    if (findings.length === 0 && 'spec' in result) return { ok: true, spec: result.spec };
    const faults = findings.slice(0, MAX_FAULTS).map(({ path, message }) => ({
      path: pathText(path) || '(file)',
      message,
      ...place(offsetOf(document, path)),
    }));
    return { ok: false, faults: faults.sort((a, b) => a.line - b.line || a.column - b.column) };
  } catch (error) {
    return whole(error instanceof RangeError ? 'It nests too deeply.' : (error as Error).message);
  }
}

/** A fault as one line: `drill.yaml:12:5 stores.bank must be ...`. */
export function faultLine(file: string, fault: Fault): string {
  const end = /[.?!]$/.test(fault.message) ? '' : '.';
  const subject = fault.path === '(file)' ? '' : `${fault.path}: `;
  return `${file}:${fault.line}:${fault.column} ${subject}${fault.message}${end}`;
}

/**
 * Reads and checks a `drill.yaml`.
 *
 * @throws DrillError `not-found`, or `malformed` with one line for each fault
 */
export function loadProgram(name: string): ProgramLab {
  const bytes = readNamedFile(name, LIMIT, 'not-found');
  const file = realpathSync(resolve(name));
  const folder = dirname(file);
  const parsed = parseProgram(bytes.toString('utf8'), folder);
  if (!parsed.ok)
    throw new DrillError('malformed', parsed.faults.map((fault) => faultLine(name, fault)).join('\n'));
  return { file, folder, digest: createHash('sha256').update(bytes).digest('hex'), spec: parsed.spec };
}
