/** A run of this lab for tests: real executors, evidence and invariants after every step. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../core/json.ts';
import { databaseDir } from '../../../drill/engine.ts';
import type { StepRecord, StepSpec } from '../../../drill/model.ts';
import { LabTrial, type TrialOptions } from '../../../testing/lab-trial.ts';
import { tempDir } from '../../../testing/temp-dir.ts';
import { lab } from '../manifest.ts';
import { OPERATION, TARGET } from '../words.ts';

export const INIT: StepSpec = { label: 'init', command: 'init' };
export const PLAN: StepSpec = { label: 'plan', command: 'plan', saves: 'proposal' };
export const RUN: StepSpec = { label: 'run', command: 'run', args: { proposal: '$proposal', approve: true } };
export const RECOVER: StepSpec = { label: 'recover', command: 'recover' };

export class Trial extends LabTrial {
  constructor(dir: string, options: TrialOptions = {}) {
    super(lab, dir, options);
  }

  get database(): string {
    return join(databaseDir(this.dir), 'lab.sqlite');
  }

  status(operation = OPERATION) {
    return this.rows('operation').find((row) => row.key === operation)?.cells.status;
  }

  version() {
    return this.rows('target').find((row) => row.key === TARGET)?.cells.version;
  }

  /** Changes that the ground truth saw this operation make. */
  effects(operation = OPERATION): number {
    return this.evidence.truth.filter((change) => change.operation === operation).length;
  }
}

export function trial(t: TestContext, options: TrialOptions = {}): Trial {
  const one = new Trial(tempDir(t), options);
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

/** Exit code and the members of the reply that are named, compared in one go. */
export function assertAnswer(record: StepRecord, exit: number, members: JsonObject): void {
  const [end] = record.executors;
  const found = Object.fromEntries(Object.keys(members).map((name) => [name, end?.reply?.[name]]));
  assert.deepEqual({ exit: end?.code, ...found }, { exit, ...members });
}
