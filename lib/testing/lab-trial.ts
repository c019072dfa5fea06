/** A run of a lab for its tests: real executors, evidence and invariants after every step. */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { RunSession, type RunSessionOptions } from '../drill/engine.ts';
import type { StepRecord, StepSpec } from '../drill/model.ts';
import { clockOf, savedValues } from '../drill/resolve.ts';
import { type Evidence, type PanelId, panel, type Row } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';

export type TrialOptions = Partial<Omit<RunSessionOptions, 'lab' | 'dir'>>;

export class LabTrial {
  readonly dir: string;
  readonly records: StepRecord[] = [];
  readonly session: RunSession;
  private readonly lab: Lab;

  constructor(lab: Lab, dir: string, options: TrialOptions = {}) {
    this.lab = lab;
    this.dir = dir;
    mkdirSync(dir, { recursive: true });
    this.session = new RunSession({ lab, dir, ...options });
  }

  /** Evidence after the last step. */
  get evidence(): Evidence {
    const evidence = this.records.at(-1)?.evidence;
    assert.ok(evidence);
    return evidence;
  }

  rows(id: PanelId): Row[] {
    return panel(this.evidence, id).rows;
  }

  /** Carries out a step. Without a label it is named by its number; a label used already gets that number behind it. */
  async step(spec: Omit<StepSpec, 'label'> & { label?: string }): Promise<StepRecord> {
    const number = this.records.length + 1;
    const taken = this.records.some((record) => record.label === spec.label);
    const label = taken ? `${spec.label}-${number}` : (spec.label ?? `step-${number}`);
    const record = await this.session.runStep({ ...spec, label }, this.records);
    this.records.push(record);
    return record;
  }

  /** Carries out several. @returns the record of the last */
  async steps(...specs: StepSpec[]): Promise<StepRecord> {
    let last: StepRecord | undefined;
    for (const spec of specs) last = await this.step(spec);
    assert.ok(last);
    return last;
  }

  /**
   * Does what the lab's own operator does, who sees no ground truth, until nothing more is to be done.
   *
   * @returns how many steps that took
   */
  async settle(bound = 8): Promise<number> {
    for (let count = 0; count <= bound; count++) {
      const seen = this.records.map((record) => ({
        ...record,
        evidence: record.evidence && { ...record.evidence, truth: [] },
      }));
      const clock = clockOf({ label: 'next' }, this.records);
      const evidence = { ...this.evidence, truth: [] };
      const action = this.lab.next(evidence, clock, savedValues(this.records), seen);
      if (!action) return count;
      await this.step({ label: 'next', ...action });
    }
    assert.fail(`the operator was not done after ${bound} steps`);
  }

  /** Ends what is still held. */
  dispose(): Promise<void> {
    return this.session.dispose();
  }
}
