/**
 * What an executor runs: one file for each lab, made of the sources by `compile.ts`. Loading dozens of modules, and
 * hundreds where a lab brings a library, takes longer than all that most steps do. The sources themselves run where
 * nothing was made of them, so the files decide how long a start-up takes and nothing else.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../core/project-root.ts';

/** Names the sources that the files in that folder were made of. */
export const STAMP = 'sources';

/** The folder of the files, below what a fresh installation removes; two trees may share one `node_modules` by a link. */
export function programsFolder(): string {
  const root = projectRoot();
  const tree = createHash('sha256').update(root).digest('hex').slice(0, 12);
  return join(root, 'node_modules', '.cache', 'programs', tree);
}

function sources(): string[] {
  const lib = join(projectRoot(), 'lib');
  const files = readdirSync(lib, { recursive: true, encoding: 'utf8' });
  const code = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).sort();
  return [...code.map((file) => join(lib, file)), join(projectRoot(), 'package-lock.json')];
}

/** Names the sources as they are now: each path with its size and time, as `make` would look at them. */
export function sourcesStamp(): string {
  const hash = createHash('sha256');
  for (const file of sources()) {
    const { mtimeMs, size } = statSync(file);
    hash.update(`${file}\0${mtimeMs}\0${size}\n`);
  }
  return hash.digest('hex');
}

/** Whether the files were made of the sources as they are now. */
export function programsAreMade(): boolean {
  try {
    return readFileSync(join(programsFolder(), STAMP), 'utf8') === sourcesStamp();
  } catch {
    return false;
  }
}

async function made(): Promise<boolean> {
  // Whoever changes a lab while the pages are served as they are changed wants the next step to run the change.
  if (process.env.NODE_ENV === 'development' || process.env.DRILL_PROGRAMS === 'sources') return false;
  if (programsAreMade()) return true;
  const compile = join(projectRoot(), 'lib', 'executor', 'compile.ts');
  const child = spawn(process.execPath, [compile], { cwd: projectRoot(), stdio: 'ignore' });
  await once(child, 'exit').catch(() => {});
  return programsAreMade();
}

let asked: Promise<boolean> | undefined;

/**
 * Whether executors run the files made of the sources. The first call of a process makes them where they are missing
 * or made of other sources; where that fails, the sources run.
 */
export function compiled(): Promise<boolean> {
  asked ??= made();
  return asked;
}

/**
 * The file of an executor, and its arguments.
 *
 * @param lab the only lab that it will be asked for; undefined for one that loads its lab when it is asked
 */
export async function executorProgram(lab?: string | null): Promise<string[]> {
  const file = join(programsFolder(), `${lab}`, 'executor.cjs');
  if (lab && (await compiled()) && existsSync(file)) return [file];
  const source = join(projectRoot(), 'lib', 'executor', 'main.ts');
  return lab ? [source, lab] : [source];
}
