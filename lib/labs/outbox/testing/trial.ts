/** A run of this lab for tests: real executors, real receivers, evidence and invariants after every step. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../../core/json.ts';
import { endWord } from '../../../drill/checks.ts';
import type { StepRecord, StepSpec } from '../../../drill/model.ts';
import type { Row } from '../../../evidence/model.ts';
import { LabTrial, type TrialOptions } from '../../../testing/lab-trial.ts';
import { tempDir } from '../../../testing/temp-dir.ts';
import { lab } from '../manifest.ts';

export class Trial extends LabTrial {
  constructor(dir: string, options: TrialOptions = {}) {
    super(lab, dir, options);
  }

  run(command: string, args: JsonObject = {}, more: Partial<StepSpec> = {}): Promise<StepRecord> {
    return this.step({ command, args, ...more });
  }

  row(key = 'op-1'): Row | undefined {
    return this.rows('operation').find((row) => row.key === key);
  }

  /** State, attempts, tickets of the receiver, receipts, tickets of the tool. */
  figures(key = 'op-1') {
    const target = this.rows('target');
    const row = this.row(key);
    return [
      row?.cells.state ?? 'absent',
      row?.cells.attempts ?? 0,
      target.filter(({ store }) => store === 'receiver').length,
      this.rows('receipts').length,
      target.filter(({ store }) => store === 'external').length,
    ];
  }
}

/** A fresh run whose held executors are ended with the test. */
export function trial(t: TestContext, options: TrialOptions = {}): Trial {
  const run = new Trial(tempDir(t), options);
  t.after(() => run.dispose());
  return run;
}

/** Compares how the first executor ended, and some members of its reply. */
export function assertAnswer(record: StepRecord, exit: number | string, reply: JsonObject = {}): void {
  const end = record.executors[0];
  assert.equal(endWord(end), String(exit), JSON.stringify(end));
  for (const [name, value] of Object.entries(reply)) assert.deepEqual(end?.reply?.[name], value, name);
}

/** Invariants that did not hold at some step. */
export function broken(records: readonly StepRecord[]): string[] {
  const found = records.flatMap((record) => record.invariants.filter(({ result }) => result !== 'holds'));
  return [...new Set(found.map(({ id }) => id))].sort();
}
