/** Scenarios of the person's own: files under the data directory, read like the built-in ones. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dataDirectory } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';
import { readNamedFile } from '../core/named-file.ts';
import type { Scenario } from '../drill/model.ts';
import {
  builtInIds,
  type Fault,
  getScenario,
  type Parsed,
  parseScenario,
  scenariosOf,
} from '../drill/scenario.ts';
import { SCENARIO_LIMIT } from '../drill/scenario-yaml.ts';
import { labs } from '../labs/registry.ts';

const ID = /^[a-z][a-z0-9-]*\/[a-z0-9][a-z0-9-]*$/;

/** A file that no scenario can be read from: it is named, and keeps nothing else from being shown. */
export interface BrokenFile {
  file: string;
  fault: Fault;
}

const folder = (): string => join(dataDirectory(), 'scenarios');

/** The file of an id. Its form lets nothing but a file of that name below the folder through. */
function fileOf(id: string): string {
  if (!ID.test(id)) throw new DrillError('usage', `"${id.slice(0, 80)}" is no scenario id.`);
  return join(folder(), `${id}.yaml`);
}

const fault = (path: string, message: string): Fault => ({ path, message, line: 1, column: 1 });

/** Reads one file; what is no regular file, or goes away meanwhile, is a fault like any other. */
function read(id: string): Parsed {
  try {
    return parseScenario(
      readNamedFile(fileOf(id), SCENARIO_LIMIT, 'not-found', `${id}.yaml`).toString('utf8'),
    );
  } catch (error) {
    return { ok: false, faults: [fault('(file)', (error as Error).message.replace(/\.$/, ''))] };
  }
}

/** Names in a folder, hidden ones left out: editors keep their locks and copies there. `why` where it cannot be read. */
function namesIn(dir: string): { names: string[]; why: string | null } {
  try {
    return {
      names: readdirSync(dir)
        .filter((name) => !name.startsWith('.'))
        .sort(),
      why: null,
    };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { names: [], why: null };
    return { names: [], why: code === 'ENOTDIR' ? 'this is a file, where a folder belongs' : message };
  }
}

const isBuiltIn = (id: string): boolean =>
  labs.some(
    (lab) => lab.id === id.split('/')[0] && scenariosOf(lab.id).some((scenario) => scenario.id === id),
  );

function readNamed(lab: string, name: string): Scenario | Fault | null {
  if (name.endsWith('.yml')) return fault('(file)', 'the name of a scenario file ends in .yaml');
  if (!name.endsWith('.yaml')) return null;
  const id = `${lab}/${name.slice(0, -5)}`;
  if (!ID.test(id)) return fault('id', 'the name of a file is an id: small letters, digits and hyphens');
  if (isBuiltIn(id)) {
    const file = join(folder(), lab, name);
    return fault('id', `the id is taken by a built-in scenario; give yours another, or remove ${file}`);
  }
  const parsed = read(id);
  if (!parsed.ok) return parsed.faults[0] ?? null;
  if (parsed.scenario.id === id) return parsed.scenario;
  return fault('id', `a file of this name holds "${id}"`);
}

/** What lies beside the folders of the labs, where nothing is looked for. */
function strays(names: readonly string[]): BrokenFile[] {
  const known = labs.map(({ id }) => id);
  const folders = known.map((id) => `scenarios/${id}/`).join(', ');
  return names
    .filter((name) => !known.includes(name))
    .map((file) => ({
      file,
      fault: fault('(file)', `nothing is read from here; scenarios lie in ${folders}`),
    }));
}

/** Every scenario of one's own, lab by lab, and the files that hold none. */
export function ownScenarios(): { scenarios: Scenario[]; broken: BrokenFile[] } {
  const scenarios: Scenario[] = [];
  const broken: BrokenFile[] = [];
  const { names: above, why } = namesIn(folder());
  if (why) return { scenarios, broken: [{ file: 'scenarios', fault: fault('(file)', why) }] };
  for (const lab of labs) {
    const inside = namesIn(join(folder(), lab.id));
    if (inside.why) broken.push({ file: lab.id, fault: fault('(file)', inside.why) });
    for (const name of inside.names) {
      const found = readNamed(lab.id, name);
      if (found && 'steps' in found) scenarios.push(found);
      else if (found) broken.push({ file: `${lab.id}/${name}`, fault: found });
    }
  }
  return { scenarios, broken: [...broken, ...strays(above)] };
}

/** True for a scenario that lies under the data directory. */
export function isOwn(id: string): boolean {
  return ID.test(id) && !isBuiltIn(id) && existsSync(fileOf(id));
}

/**
 * A scenario by its id, or by its name alone where one lab has it, built in or one's own.
 *
 * @throws DrillError `not-found` where there is none, `malformed` where one's own cannot be read any more
 */
export function findScenario(name: string): Scenario {
  const own = name.includes('/') ? [name] : labs.map((lab) => `${lab.id}/${name}`).filter(isOwn);
  const taken = !name.includes('/') && builtInIds().some((built) => built.endsWith(`/${name}`));
  const id = own.length === 1 && own[0] && !taken ? own[0] : name;
  if (!isOwn(id)) return getScenario(id);
  const parsed = read(id);
  if (parsed.ok) return parsed.scenario;
  const first = parsed.faults[0];
  throw new DrillError(
    'malformed',
    `${id}.yaml:${first?.line}:${first?.column} ${first?.path}: ${first?.message}`,
  );
}

/**
 * Keeps a scenario under the data directory, where the catalogue lists it. The file is there whole or not at all.
 *
 * @param source its text, as edited
 * @param replace whether a file of one's own with the same id may be replaced
 * @returns the id
 * @throws DrillError `malformed` with the first fault, `would-overwrite` where the id is taken
 */
export function keepScenario(source: string, replace = false): string {
  const parsed = parseScenario(source);
  if (!parsed.ok) {
    const first = parsed.faults[0];
    throw new DrillError(
      'malformed',
      `Line ${first?.line}, column ${first?.column}, ${first?.path}: ${first?.message}.`,
    );
  }
  const { id } = parsed.scenario;
  if (isBuiltIn(id))
    throw new DrillError('would-overwrite', `"${id}" is a scenario of this program; give yours another id.`);
  const file = fileOf(id);
  if (!replace && existsSync(file))
    throw new DrillError('would-overwrite', `You have a scenario "${id}" already; it was left as it is.`);
  const part = `${file}.part`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(part, source);
    renameSync(part, file);
  } catch (cause) {
    rmSync(part, { force: true });
    throw new DrillError('unavailable', `The scenario could not be written: ${(cause as Error).message}.`, {
      cause,
    });
  }
  return id;
}

/** The text of one's own scenario file. @throws DrillError `not-found` where there is no such scenario */
export function ownScenarioSource(id: string): string {
  if (!isOwn(id)) throw new DrillError('not-found', `You have no scenario "${id}".`);
  return readFileSync(fileOf(id), 'utf8');
}

/** @throws DrillError `not-found` where there is no such scenario of one's own */
export function removeScenario(id: string): void {
  if (!isOwn(id)) throw new DrillError('not-found', `You have no scenario "${id}".`);
  try {
    rmSync(fileOf(id));
  } catch (cause) {
    throw new DrillError('unavailable', `It could not be removed: ${(cause as Error).message}.`, { cause });
  }
}
