/** The directory that a sweep works in. Whatever is lost from it says nothing of the lab, and is never judged. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DrillError } from '../../core/errors.ts';
import type { Lab } from '../../labs/contract.ts';
import { databaseDir, rawDir } from '../engine.ts';
import type { StepRecord } from '../model.ts';
import type { State } from './state.ts';

const MARK = 'sweep';

const lost = (cause?: unknown): DrillError =>
  new DrillError(
    'unavailable',
    'Files of this sweep were removed under it, so it was stopped: what it would have found then says nothing of the lab.',
    { cause },
  );

/** Names in a folder, sorted; none where there is no folder. */
export function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).sort() : [];
}

/** A mark in the directory that goes when the directory does, even where another of its name is made again. */
export class Scratch {
  private readonly mark: string;

  constructor(dir: string) {
    mkdirSync(dir, { recursive: true });
    this.mark = join(dir, MARK);
    writeFileSync(this.mark, '');
  }

  /** @throws DrillError `unavailable` where the directory is gone, or one of these paths in it */
  require(...paths: readonly string[]): void {
    if (![this.mark, ...paths].every((path) => existsSync(path))) throw lost();
  }

  /** @throws DrillError `unavailable` where a copy no longer has the files that it was kept with */
  requireState({ dir, files }: State): void {
    this.require(...(dir ? files.map((file) => join(dir, file)) : []));
  }

  /**
   * Looks at what a step has left, before anybody judges it: its control directory is there, the databases that it
   * began with, and each that it says it has committed to.
   *
   * @throws DrillError `unavailable` where something of it is gone
   */
  requireStep(lab: Lab, dir: string, seq: number, from: State, { trace }: StepRecord): void {
    const written = trace.flatMap((line) => ('commit' in line ? [line.commit] : []));
    const stores = lab.stores.filter(({ id, file }) => written.includes(id) || from.files.includes(file));
    const copies = [databaseDir(dir), rawDir(dir, seq)];
    this.require(
      join(dir, 'control', String(seq), 'faults.json'),
      ...stores.flatMap(({ file }) => copies.map((copy) => join(copy, file))),
    );
  }

  /** Does work in the directory; what fails because the directory is gone is told so. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw lost(cause);
      throw cause;
    }
  }
}
