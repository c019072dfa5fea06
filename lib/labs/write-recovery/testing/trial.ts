/** A run of this lab for tests: real executors, evidence and statements after every step. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../core/json.ts';
import { databaseDir, RunSession } from '../../../drill/engine.ts';
import type { StepRecord, StepSpec } from '../../../drill/model.ts';
import { clockOf, savedValues } from '../../../drill/resolve.ts';
import { runScenario, type ScenarioRun } from '../../../drill/run.ts';
import { getScenario } from '../../../drill/scenario.ts';
import { type Evidence, type PanelId, panel } from '../../../evidence/model.ts';
import { startExecutor } from '../../../executor/launch.ts';
import { tempDir } from '../../../testing/temp-dir.ts';
import { lab } from '../manifest.ts';

export const INIT: StepSpec = { label: 'init', command: 'init' };
export const APPROVE: StepSpec = { label: 'approve', command: 'approve', saves: 'approval' };
export const RUN: StepSpec = { label: 'run', command: 'run', args: { approval: '$approval' } };

export class Trial {
  readonly dir: string;
  readonly records: StepRecord[] = [];
  private readonly session: RunSession;

  constructor(dir: string, without: readonly string[] = []) {
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
    this.session = new RunSession({ lab, dir, without });
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
    const record = await this.session.runStep({ ...spec, label }, this.records);
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

  cell(row: string, cell: string) {
    return this.rows('operation').find(({ key }) => key === row)?.cells[cell];
  }

  /** Does what the lab's own operator does, until nothing more is to be done. */
  async settle(bound = 8): Promise<void> {
    for (let count = 0; count <= bound; count++) {
      const seen = this.records.map((record) => ({
        ...record,
        evidence: record.evidence && { ...record.evidence, observer: [] },
      }));
      const evidence = { ...this.evidence, observer: [] };
      const clock = clockOf({ label: 'next' }, this.records);
      const action = lab.next(evidence, clock, savedValues(this.records), seen);
      if (!action) return;
      await this.step({ label: 'next', ...action });
    }
    assert.fail(`the operator was not done after ${bound} steps`);
  }

  dispose(): Promise<void> {
    return this.session.dispose();
  }
}

export function trial(t: TestContext, without: readonly string[] = []): Trial {
  const one = new Trial(tempDir(t), without);
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
