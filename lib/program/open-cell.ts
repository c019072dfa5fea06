/** Runs one cell of a matrix again, with every step kept: what a person opens to see how it came about. */
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { type RunRecord, runOnce } from './cell.ts';
import type { Action, PlacedFault } from './control.ts';
import type { ProgramLab } from './load.ts';
import { withPrepared } from './prepare.ts';
import { Reader } from './reader-client.ts';
import type { Source } from './schema.ts';
import { actionsAt, requireSource } from './sources.ts';

/**
 * Reads the key of a cell, like `submit/after-charge#1:kill`.
 *
 * @throws DrillError `usage` where it is none
 */
export function parseCellKey(key: string, source: Source): PlacedFault[] {
  return key.split(' + ').map((text) => {
    const [, step, at, hit, action] = /^([^/]+)\/(.+)#(\d{1,4}):([a-z-]+)$/s.exec(text) ?? [];
    if (step === undefined || at === undefined || !actionsAt(source, at).includes(action as Action))
      throw new DrillError('usage', `"${text}" is no cell; one is like submit/after-charge#1:kill.`);
    const role = source === 'wire' ? 'wire' : 'executor';
    return { step, role, at, hit: Number(hit), action: action as Action };
  });
}

/**
 * Runs a lab once with some faults, or without any.
 *
 * @returns every step with its evidence
 * @throws DrillError as a sweep does
 */
export async function openCell(
  lab: ProgramLab,
  { source, variant, faults }: { source: Source; variant: string | null; faults: readonly PlacedFault[] },
): Promise<RunRecord> {
  await requireSource(source, lab.spec);
  return withPrepared(lab, async (prepared) => {
    const reader = new Reader();
    try {
      return await runOnce({ prepared, source, variant, faults, reader, dir: join(prepared.scratch, 'run') });
    } finally {
      reader.close();
    }
  });
}
