import { store } from '#db/open.ts';
import { findCell } from '#db/sweeps.ts';
import { DrillError } from '../core/errors.ts';
import type { Scenario } from '../drill/model.ts';
import type { CellResult } from '../drill/sweep/model.ts';
import { cellScenario } from '../drill/sweep/scenario.ts';
import type { Procedure } from '../labs/contract.ts';
import { getLab } from '../labs/registry.ts';
import { loadSweep } from './get-sweep.ts';
import { runToEnd } from './run-to-end.ts';
import { startRun } from './start-run.ts';

/**
 * A recorded cell of a matrix as a scenario.
 *
 * @throws DrillError `not-found` where the sweep has no such cell, or is a table of safeguards
 */
export async function scenarioOfCell(sweep: string, key: string): Promise<Scenario> {
  const row = loadSweep(sweep);
  const found = row.kind === 'matrix' ? findCell(store(), row.id, key) : undefined;
  if (!found)
    throw new DrillError('not-found', 'This sweep has no such cell, or it has not been reached yet.');
  const cell = JSON.parse(found.result) as CellResult;
  const lab = getLab(row.lab);
  const procedure = lab.procedures.find(({ id }) => id === cell.procedure) as Procedure | undefined;
  if (!procedure) {
    throw new DrillError('not-found', `Lab ${lab.id} has no procedure "${cell.procedure}" any more.`);
  }
  const declared = cell.violated.filter((id) => procedure.may.includes(id));
  return cellScenario(lab, procedure, { ...cell, violated: declared }, JSON.parse(row.without) as string[]);
}

/** Opens a cell as a run of its own and runs it to its end. @throws DrillError as `scenarioOfCell` */
export async function openCell(sweep: string, key: string): Promise<{ run: string }> {
  const { run } = await startRun({ scenario: await scenarioOfCell(sweep, key) });
  await runToEnd({ run, seq: 1 });
  return { run };
}
