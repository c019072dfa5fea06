/** `drill export` and `drill replay`: handing a case over, and looking whether it comes out the same. */
import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { DrillError, EXIT } from '../core/errors.ts';
import { readNamedFile } from '../core/named-file.ts';
import { LIMITS } from '../drill/bundle/model.ts';
import { readBundle } from '../drill/bundle/read.ts';
import { replayBundle } from '../drill/bundle/replay.ts';
import { exportRun } from '../operations/export-run.ts';
import { inScratch } from './scratch.ts';

interface Options {
  json?: boolean;
}

function write(out: string, bytes: Buffer): void {
  try {
    // Exclusively: between the look and this line somebody else may have written it.
    writeFileSync(out, bytes, { flag: 'wx' });
  } catch (cause) {
    throw new DrillError('unavailable', `${out} could not be written: ${(cause as Error).message}.`, {
      cause,
    });
  }
}

/**
 * Writes the bundle of a stored run.
 *
 * @throws DrillError `would-overwrite` where the file is there already; else as `exportRun`
 */
export async function exportCommand(run: string, { out, json }: Options & { out: string }): Promise<number> {
  if (existsSync(out))
    throw new DrillError('would-overwrite', `${out} is there already; it was left as it is.`);
  // While there is a directory to be removed, a signal waits for what is being written: no half of a file is left.
  const bytes = await inScratch('export', async () => {
    const exported = await exportRun(run);
    write(out, exported.bytes);
    return exported.bytes;
  });
  const line = json
    ? JSON.stringify({ run, out, bytes: bytes.length }, null, 2)
    : `${out}: ${bytes.length} bytes`;
  process.stdout.write(`${line}\n`);
  return EXIT.done;
}

/**
 * Checks a bundle, runs its scenario again in a temporary directory, and compares.
 *
 * @returns 0 where it comes out the same, 1 where it does not
 * @throws DrillError `malformed` for what is no sound bundle; nothing has been started then
 */
export async function replayCommand(file: string, { json }: Options): Promise<number> {
  const bundle = await readBundle(
    readNamedFile(file, { bytes: LIMITS.archiveBytes, says: 'a bundle can be (64 MB)' }),
  );
  const result = await inScratch('replay', (dir) => replayBundle(bundle, dir));
  const { lab, scenario, title } = bundle.manifest.run;
  process.stdout.write(
    json
      ? `${JSON.stringify({ lab, scenario, title, ...result }, null, 2)}\n`
      : `${scenario}: ${title}\n${result.says}\n`,
  );
  return result.equal ? 0 : 1;
}

/** Adds the verbs to the program. */
export function bundleVerbs(verb: (name: string) => Command, exit: (code: number) => void): void {
  verb('export <run>')
    .description('one zip with scenario, journal, databases and reports of a stored run')
    .requiredOption('--out <file>', 'where to write it; a file that is there is left alone')
    .action(async (run: string, options) => exit(await exportCommand(run, options)));
  verb('replay <file>')
    .description('check a bundle, run its scenario again, compare evidence, ends and conclusions')
    .action(async (file: string, options) => exit(await replayCommand(file, options)));
}
