/** A run of this lab for tests: real executors, evidence and invariants after every step. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../core/json.ts';
import { databaseDir } from '../../../drill/engine.ts';
import type { StepRecord, StepSpec } from '../../../drill/model.ts';
import { runScenario, type ScenarioRun } from '../../../drill/run.ts';
import { getScenario } from '../../../drill/scenario.ts';
import { startExecutor } from '../../../executor/launch.ts';
import { LabTrial } from '../../../testing/lab-trial.ts';
import { tempDir } from '../../../testing/temp-dir.ts';
import { lab } from '../manifest.ts';

export const INIT: StepSpec = { label: 'init', command: 'init' };
export const APPROVE: StepSpec = { label: 'approve', command: 'approve', saves: 'approval' };
export const RUN: StepSpec = { label: 'run', command: 'run', args: { approval: '$approval' } };

export class Trial extends LabTrial {
  constructor(dir: string, without: readonly string[] = []) {
    super(lab, dir, { without });
  }

  cell(row: string, cell: string) {
    return this.rows('operation').find(({ key }) => key === row)?.cells[cell];
  }
}

export function trial(t: TestContext, without: readonly string[] = []): Trial {
  const one = new Trial(tempDir(t), without);
  t.after(() => one.dispose());
  return one;
}

/** Every invariant held after every step so far. */
export function assertSound(records: readonly StepRecord[]): void {
  for (const record of records) {
    const broken = record.invariants.filter((found) => found.result !== 'holds');
    assert.deepEqual(broken, [], `after step ${record.label}`);
  }
}

/** Runs a built-in scenario in a directory of its own. */
export function scenario(
  t: TestContext,
  name: string,
  without: readonly string[] = [],
): Promise<ScenarioRun> {
  return runScenario(lab, getScenario(`write-recovery/${name}`), { dir: tempDir(t), without });
}

/** One executor that gets its arguments as they are, past the parent's validation. */
export async function past(run: Trial, command: string, args: JsonObject) {
  const started = await startExecutor();
  const dir = databaseDir(run.dir);
  started.request({
    lab: lab.id,
    command,
    args,
    dir,
    control: null,
    now: 0,
    without: [],
    owner: process.pid,
  });
  const { code, reply } = await started.end;
  return { code, reply, evidence: lab.readEvidence(dir), files: join(dir) };
}
