/** A run of this lab for tests: real executors, evidence and invariants after every step. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../core/json.ts';
import { databaseDir, RunSession, type RunSessionOptions } from '../../../drill/engine.ts';
import type { StepRecord, StepSpec } from '../../../drill/model.ts';
import { clockOf, savedValues } from '../../../drill/resolve.ts';
import { type Evidence, type PanelId, panel } from '../../../evidence/model.ts';
import { tempDir } from '../../../testing/temp-dir.ts';
import { lab } from '../manifest.ts';
import { OPERATION, TARGET } from '../words.ts';

export const INIT: StepSpec = { label: 'init', command: 'init' };
export const PLAN: StepSpec = { label: 'plan', command: 'plan', saves: 'proposal' };
export const RUN: StepSpec = { label: 'run', command: 'run', args: { proposal: '$proposal', approve: true } };
export const RECOVER: StepSpec = { label: 'recover', command: 'recover' };

export class Trial {
  readonly dir: string;
  readonly records: StepRecord[] = [];
  private readonly run: RunSession;

  constructor(dir: string, options: Partial<RunSessionOptions> = {}) {
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
    this.run = new RunSession({ lab, dir, ...options });
  }

  get database(): string {
    return join(databaseDir(this.dir), 'lab.sqlite');
  }

  get evidence(): Evidence {
    const evidence = this.records.at(-1)?.evidence;
    assert.ok(evidence);
    return evidence;
  }

  /** Carries out a step; a label used already gets the number of the step behind it. */
  async step(spec: StepSpec): Promise<StepRecord> {
    const taken = this.records.some((record) => record.label === spec.label);
    const label = taken ? `${spec.label}-${this.records.length + 1}` : spec.label;
    const record = await this.run.runStep({ ...spec, label }, this.records);
    this.records.push(record);
    return record;
  }

  async steps(...specs: StepSpec[]): Promise<StepRecord> {
    let last: StepRecord | undefined;
    for (const spec of specs) last = await this.step(spec);
    assert.ok(last);
    return last;
  }

  rows(id: PanelId) {
    return panel(this.evidence, id).rows;
  }

  status(operation = OPERATION) {
    return this.rows('operation').find((row) => row.key === operation)?.cells.status;
  }

  version() {
    return this.rows('target').find((row) => row.key === TARGET)?.cells.version;
  }

  /** Changes that the observer saw this operation make. */
  effects(operation = OPERATION): number {
    return this.evidence.observer.filter((change) => change.operation === operation).length;
  }

  /** Does what the lab's own operator does, until nothing more is to be done. @returns how many steps that took */
  async settle(bound = 8): Promise<number> {
    for (let count = 0; count <= bound; count++) {
      const { observer: _, ...visible } = this.evidence;
      const clock = clockOf({ label: 'next' }, this.records);
      const evidence = { ...visible, observer: [] };
      const action = lab.next(evidence, clock, savedValues(this.records), this.records);
      if (!action) return count;
      await this.step({ label: 'next', ...action });
    }
    assert.fail(`the operator was not done after ${bound} steps`);
  }

  dispose(): Promise<void> {
    return this.run.dispose();
  }
}

export function trial(t: TestContext, options: Partial<RunSessionOptions> = {}): Trial {
  const one = new Trial(tempDir(t), options);
  t.after(() => one.dispose());
  return one;
}

/** Every statement held after every step so far. */
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
