/** Scenarios of the person's own: files under the data directory, read like the built-in ones. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { dataDirectory } from '#db/open.ts';
import { DrillError } from '../core/errors.ts';
import type { Scenario } from '../drill/model.ts';
import { type Fault, getScenario, type Parsed, parseScenario, scenariosOf } from '../drill/scenario.ts';
import { SCENARIO_LIMIT, TOO_LARGE } from '../drill/scenario-yaml.ts';
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

function read(file: string): Parsed {
  if (statSync(file).size > SCENARIO_LIMIT.bytes) return TOO_LARGE;
  return parseScenario(readFileSync(file, 'utf8'));
}

/** Every scenario of one's own, lab by lab, and the files that hold none. */
export function ownScenarios(): { scenarios: Scenario[]; broken: BrokenFile[] } {
  const scenarios: Scenario[] = [];
  const broken: BrokenFile[] = [];
  for (const lab of labs) {
    const dir = join(folder(), lab.id);
    const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.yaml')) : [];
    for (const name of names.sort()) {
      const parsed = read(join(dir, name));
      const shown = `${lab.id}/${name}`;
      if (parsed.ok && `${parsed.scenario.id}.yaml` === shown) scenarios.push(parsed.scenario);
      else if (parsed.ok)
        broken.push({
          file: shown,
          fault: {
            path: 'id',
            message: `a file of this name holds "${shown.slice(0, -5)}"`,
            line: 1,
            column: 1,
          },
        });
      else if (parsed.faults[0]) broken.push({ file: shown, fault: parsed.faults[0] });
    }
  }
  return { scenarios, broken };
}

const isBuiltIn = (id: string): boolean =>
  labs.some(
    (lab) => lab.id === id.split('/')[0] && scenariosOf(lab.id).some((scenario) => scenario.id === id),
  );

/** True for a scenario that lies under the data directory. */
export function isOwn(id: string): boolean {
  return ID.test(id) && !isBuiltIn(id) && existsSync(fileOf(id));
}

/**
 * A scenario by its id, built in or one's own.
 *
 * @throws DrillError `not-found` where there is none, `malformed` where one's own cannot be read any more
 */
export function findScenario(id: string): Scenario {
  if (!isOwn(id)) return getScenario(id);
  const parsed = read(fileOf(id));
  if (parsed.ok) return parsed.scenario;
  const fault = parsed.faults[0];
  throw new DrillError(
    'malformed',
    `${id}.yaml:${fault?.line}:${fault?.column} ${fault?.path}: ${fault?.message}`,
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
    const fault = parsed.faults[0];
    throw new DrillError(
      'malformed',
      `Line ${fault?.line}, column ${fault?.column}, ${fault?.path}: ${fault?.message}.`,
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

/** @throws DrillError `not-found` where there is no such scenario of one's own */
export function removeScenario(id: string): void {
  if (!isOwn(id)) throw new DrillError('not-found', `You have no scenario "${id}".`);
  rmSync(fileOf(id));
}
