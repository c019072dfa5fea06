/** A run of this lab for tests: real executors, real servers, evidence and invariants after every step. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Json, JsonObject } from '../../../core/json.ts';
import { isObject } from '../../../core/json.ts';
import { endWord } from '../../../drill/checks.ts';
import type { StepRecord, StepSpec } from '../../../drill/model.ts';
import type { Row } from '../../../evidence/model.ts';
import { LabTrial, type TrialOptions } from '../../../testing/lab-trial.ts';
import { tempDir } from '../../../testing/temp-dir.ts';
import { lab } from '../manifest.ts';
import { SOURCE, TITLE } from '../words.ts';

export class Trial extends LabTrial {
  constructor(dir: string, options: TrialOptions = {}) {
    super(lab, dir, options);
  }

  run(command: string, args: JsonObject = {}, more: Partial<StepSpec> = {}): Promise<StepRecord> {
    return this.step({ command, args, ...more });
  }

  talk(actions: Json[], more: Partial<StepSpec> = {}): Promise<StepRecord> {
    return this.run('converse', { actions }, more);
  }

  row(key = 'op-1'): Row | undefined {
    return this.rows('operation').find((row) => row.key === key);
  }
}

/** A fresh run whose held executors are ended with the test. */
export async function trial(t: TestContext, options: TrialOptions = {}): Promise<Trial> {
  const run = new Trial(tempDir(t), options);
  t.after(() => run.dispose());
  await run.run('init');
  return run;
}

export const CONNECT = { do: 'connect' };
export const LIST = { do: 'list-tools' };

export function call(operation: string, more: JsonObject = {}): JsonObject {
  return { do: 'call', as: operation, operation, source: SOURCE, title: TITLE, ...more };
}

/** What an action came to. */
export function outcome(record: StepRecord, name: string): JsonObject {
  const outcomes = record.executors[0]?.reply?.outcomes;
  const found = isObject(outcomes) ? outcomes[name] : undefined;
  assert.ok(isObject(found), `no outcome ${name}: ${JSON.stringify(record.executors)}`);
  return found;
}

export function assertExit(record: StepRecord, exit: number | string): void {
  assert.equal(endWord(record.executors[0]), String(exit), JSON.stringify(record.executors[0]));
}

/** Invariants that did not hold at some step. */
export function broken(records: readonly StepRecord[]): string[] {
  const found = records.flatMap((record) => record.invariants.filter(({ result }) => result !== 'holds'));
  return [...new Set(found.map(({ id }) => id))].sort();
}

/** Ids of the scenarios of this lab, from its folder. */
export function scenarioIds(): string[] {
  return readdirSync(join(import.meta.dirname, '..', 'scenarios'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => `session/${file.slice(0, -'.yaml'.length)}`);
}
