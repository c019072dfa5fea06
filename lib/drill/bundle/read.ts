/** Reading a bundle: everything is checked before anything of it is believed. */
import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { DrillError } from '../../core/errors.ts';
import type { Lab } from '../../labs/contract.ts';
import { getLab, labs } from '../../labs/registry.ts';
import { issueWords } from '../issue-words.ts';
import type { Scenario } from '../model.ts';
import { parseScenario } from '../scenario.ts';
import { journalFault } from './agree.ts';
import { readArchive } from './archive.ts';
import { databaseFault } from './databases.ts';
import {
  type Bundle,
  FORMAT,
  JOURNAL,
  type Journal,
  type JournalFile,
  LIMITS,
  MANIFEST,
  type Manifest,
  SCENARIO,
} from './model.ts';
import { openJournal } from './open.ts';
import { formatSchema, journalSchema, manifestSchema } from './schema.ts';

const MAX_SENTENCE = 400;

function refuse(why: string): DrillError {
  const plain = why.replace(/\.$/, '');
  const short = plain.length > MAX_SENTENCE ? `${plain.slice(0, MAX_SENTENCE)}…` : plain;
  return new DrillError('malformed', `This bundle cannot be opened: ${short}. Nothing was kept of it.`);
}

/** A document nested deeper than this, or with a member that is no ordinary one, was not written by us. */
function checkShape(name: string, value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LIMITS.depth) throw refuse(`${name} nests deeper than ${LIMITS.depth} levels`);
    level = level.flatMap((item) => {
      if (typeof item !== 'object' || item === null) return [];
      if (Object.hasOwn(item, '__proto__')) throw refuse(`${name} has a member named "__proto__"`);
      return Object.values(item);
    });
  }
}

function parseJson(files: ReadonlyMap<string, Buffer>, name: string): unknown {
  const bytes = files.get(name);
  if (!bytes) throw refuse(`it has no ${name}`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refuse(`${name} is not JSON`);
  }
  checkShape(name, value);
  return value;
}

function validated<T>(name: string, schema: z.ZodType, value: unknown): T {
  const found = schema.safeParse(value, { error: issueWords });
  if (found.success) return found.data as T;
  const issue = found.error.issues[0];
  const where = issue?.path.join('.') || 'the whole of it';
  throw refuse(`${name}, ${where}: ${issue?.message ?? 'not as it should be'}`);
}

function checkFormat(name: string, value: unknown): void {
  const { format } = validated<{ format: number }>(name, formatSchema, value);
  if (format === 1) throw refuse('version 0.1.0 wrote it, and this version does not read bundles of 0.1.0');
  if (format !== FORMAT) throw refuse(`it has format ${format}, and this program reads format ${FORMAT}`);
}

/** The manifest against what is there: nothing missing, nothing besides, every hash as it says. */
function checkFiles(manifest: Manifest, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const content = files.get(name);
    if (!content) throw refuse(`the manifest lists ${name}, which is not there`);
    if (content.length !== bytes || createHash('sha256').update(content).digest('hex') !== sha256)
      throw refuse(`${name} is not the file that the manifest lists; it was changed or damaged`);
  }
  for (const name of files.keys()) {
    if (name !== MANIFEST && !Object.hasOwn(manifest.files, name))
      throw refuse(`it holds ${name}, which the manifest does not list`);
  }
}

function readScenarioFile(files: ReadonlyMap<string, Buffer>): Scenario {
  const source = files.get(SCENARIO);
  if (!source) throw refuse(`it has no ${SCENARIO}`);
  const parsed = parseScenario(source.toString('utf8'));
  if (parsed.ok) return parsed.scenario;
  const fault = parsed.faults[0];
  throw refuse(`${SCENARIO}:${fault?.line}:${fault?.column} ${fault?.path}: ${fault?.message}`);
}

/** What follows from the records is worked out here: a bundle does not judge itself. */
function judged(lab: Lab, scenario: Scenario, file: JournalFile): Journal {
  try {
    return openJournal(lab, scenario, file);
  } catch {
    throw refuse(`lab ${lab.id} cannot read its evidence`);
  }
}

/**
 * Reads a bundle into memory. Starts nothing and writes nothing.
 *
 * @param bytes the file as it came
 * @throws DrillError `malformed` with one sentence on the first thing that is wrong
 */
export async function readBundle(bytes: Buffer): Promise<Bundle> {
  const files = await readArchive(bytes);
  const plain = parseJson(files, MANIFEST);
  checkFormat(MANIFEST, plain);
  const manifest = validated<Manifest>(MANIFEST, manifestSchema, plain);
  if (!labs.some((lab) => lab.id === manifest.run.lab))
    throw refuse(
      `it is of lab "${manifest.run.lab}", and this program has ${labs.map((lab) => lab.id).join(', ')}`,
    );
  checkFiles(manifest, files);
  const written = parseJson(files, JOURNAL);
  checkFormat(JOURNAL, written);
  const facts = validated<JournalFile>(JOURNAL, journalSchema, written);
  const scenario = readScenarioFile(files);
  if (scenario.lab !== manifest.run.lab || facts.run.lab !== manifest.run.lab)
    throw refuse('manifest, journal and scenario name different labs');
  if (scenario.id !== manifest.run.scenario)
    throw refuse(`the manifest names scenario "${manifest.run.scenario}", and the file is "${scenario.id}"`);
  if (manifest.run.title !== facts.run.title) throw refuse('manifest and journal have different titles');
  const lab = getLab(manifest.run.lab);
  const fault = journalFault(lab, scenario, facts);
  if (fault) throw refuse(fault);
  const journal = judged(lab, scenario, facts);
  const database = databaseFault(lab, journal, files);
  if (database) throw refuse(database);
  return { manifest, scenario, journal, lab, files };
}
