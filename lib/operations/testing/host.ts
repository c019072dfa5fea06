/**
 * A program that owns runs, as the server and the command line do, driven over standard input: one operation a line,
 * one answer a line. Tests kill it for real, at the boundaries of the store's own commits.
 */
import { createInterface } from 'node:readline';
import { addStep } from '../add-step.ts';
import { advanceRun } from '../advance-run.ts';
import { cancelSweep } from '../cancel-sweep.ts';
import { deleteRun } from '../delete-run.ts';
import { deleteSweep } from '../delete-sweep.ts';
import { getRun } from '../get-run.ts';
import { getSweep, listSweeps, matrixLayer, shownSweep } from '../get-sweep.ts';
import { listRuns } from '../list-runs.ts';
import { openCell } from '../open-cell.ts';
import { resetRun } from '../reset-run.ts';
import { runToEnd } from '../run-to-end.ts';
import { runWithout, withAndWithout } from '../run-without.ts';
import { becomeServer } from '../serve.ts';
import { startRun } from '../start-run.ts';
import { startSweep } from '../start-sweep.ts';

// biome-ignore lint/suspicious/noExplicitAny: each operation takes what its caller in a test gives
const OPERATIONS: Record<string, (input: any) => Promise<unknown>> = {
  serve: () => becomeServer(),
  start: startRun,
  advance: advanceRun,
  add: addStep,
  toEnd: (input) => runToEnd(input),
  get: getRun,
  reset: resetRun,
  delete: deleteRun,
  sweep: startSweep,
  sweepState: getSweep,
  sweepLayer: ({ sweep, depth }) => matrixLayer(sweep, depth),
  sweepCancel: cancelSweep,
  sweepDelete: deleteSweep,
  sweeps: ({ kind, lab }) => listSweeps(kind, lab),
  sweepShown: ({ kind, lab, asked }) => shownSweep(kind, lab, asked),
  runWithout: ({ scenario, without, said }) => runWithout(scenario, without, said),
  withAndWithout: ({ scenario, runs, said }) => withAndWithout(scenario, runs, said),
  list: () => listRuns({}, 1),
  openCell: ({ sweep, key }) => openCell(sweep, key),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, input } = JSON.parse(line) as { op: string; input: unknown };
  let answer: unknown;
  try {
    answer = { ok: (await OPERATIONS[op]?.(input)) ?? null };
  } catch (error) {
    const { message, code, definite } = error as { message: string; code?: string; definite?: boolean };
    answer = { error: message, code, definite };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
