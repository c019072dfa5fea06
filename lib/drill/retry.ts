/** "What if I had retried anyway?": the steps that do so, found from what was done. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { type Evidence, panel } from '../evidence/model.ts';
import type { Lab } from '../labs/contract.ts';
import type { StepRecord, StepSpec } from './model.ts';

type Step = Omit<StepSpec, 'label' | 'expect' | 'predict'>;

/** Members of arguments that name an intent, where the lab does not say. */
const INTENT_ARGS = ['operation'];

/** What the arguments of a step name as its intent; nothing where they leave it to the lab's default. */
export function intentsOf(
  { intentArgs = INTENT_ARGS }: Pick<Lab, 'intentArgs'>,
  record: StepRecord,
): Set<string> {
  const named = texts(record.args).filter(({ name }) => intentArgs.includes(name));
  return new Set(named.map(({ text }) => text));
}

/** Every text in a value, with the name of the member that it stands in. */
function texts(value: Json, name = ''): { name: string; text: string }[] {
  if (typeof value === 'string') return [{ name, text: value }];
  if (Array.isArray(value)) return value.flatMap((item) => texts(item, name));
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => texts(item, key)) : [];
}

function replaced(value: Json, from: string, to: string): Json {
  if (value === from) return to;
  if (Array.isArray(value)) return value.map((item) => replaced(item, from, to));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, from, to)]));
}

function kindOf(lab: Lab, record: StepRecord): string | undefined {
  return lab.commands.find((command) => command.name === record.spec.command)?.kind;
}

/** The submission to be repeated: the one that died, else the last that a person would call one. */
function submission(lab: Lab, records: readonly StepRecord[]): StepRecord | undefined {
  const own = records.filter((record) => ['act', 'recover'].includes(kindOf(lab, record) ?? ''));
  const died = own.findLast((record) => record.fault.fired.length > 0 || record.executors[0]?.reply === null);
  return died ?? own.findLast((record) => kindOf(lab, record) === 'act' && texts(record.args).length > 0);
}

/** Names of intents that the evidence knows, whole and in their parts: `team-a/run-1:ticket`, `run-1`. */
function knownNames(evidence: Evidence): Set<string> {
  const names = [
    ...panel(evidence, 'operation').rows.map((row) => row.key),
    ...evidence.truth.flatMap((change) => (change.operation === null ? [] : [change.operation])),
  ];
  return new Set(names.flatMap((name) => [name, ...name.split(/[/:]/)]));
}

function keyOf(lab: Lab, record: StepRecord, records: readonly StepRecord[]): string | null {
  const evidence = records.at(-1)?.evidence;
  const known = evidence ? knownNames(evidence) : new Set<string>();
  const named = [...intentsOf(lab, record)];
  return named.find((text) => known.has(text)) ?? named[0] ?? null;
}

function freshKey(key: string, records: readonly StepRecord[]): string {
  const used = new Set(records.flatMap((record) => texts(record.args).map(({ text }) => text)));
  let fresh = `${key}-retry`;
  for (let number = 2; used.has(fresh); number += 1) fresh = `${key}-retry-${number}`;
  return fresh;
}

/** An intent's own name, whatever fresh key a retry gave it: `op-1-retry-2` is about `op-1`. */
export function intentOf(operation: string): string {
  return operation.replace(/(-retry(-\d+)?)+(?=$|[/:])/g, '');
}

/** The logical clock at which a retry comes: no earlier than anything that was done. */
function late(records: readonly StepRecord[], whole: readonly StepRecord[]): number {
  return Math.max(0, ...records.map((record) => record.now), ...whole.map((record) => record.now));
}

function again(record: StepRecord, now: number): Step {
  const {
    label: _,
    fault: __,
    race: ___,
    expect: ____,
    predict: _____,
    saves: ______,
    ...spec
  } = record.spec;
  return { ...spec, now };
}

/**
 * The same submission once more, under the same key, with nothing killed.
 *
 * @param records up to where the branch begins
 * @param whole the origin's records, for the clock that it came to
 * @returns no steps where nothing was submitted
 */
export function retrySame(lab: Lab, records: readonly StepRecord[], whole: readonly StepRecord[]): Step[] {
  const record = submission(lab, records);
  return record ? [again(record, late(records, whole))] : [];
}

/** A step of the chain with the fresh key, and saved values of the chain's own. */
function renamed(
  record: StepRecord,
  chain: readonly StepRecord[],
  from: string,
  to: string,
  now: number,
): Step {
  const own = new Set(chain.map((one) => one.spec.saves).filter((name) => name !== undefined));
  const args: JsonObject = {};
  for (const [name, value] of Object.entries(record.args)) {
    const given = record.spec.args?.[name];
    const taken = typeof given === 'string' && given.startsWith('$') && own.has(given.slice(1));
    args[name] = taken ? `${given}-retry` : replaced(value, from, to);
  }
  const { saves } = record.spec;
  return { command: record.command, args, now, ...(saves ? { saves: `${saves}-retry` } : {}) };
}

/**
 * The naive retry: everything that led to the submission once more, under a key of its own, so that nobody can
 * recognise the repetition.
 *
 * @returns no steps where the submission names no key
 */
export function retryFresh(lab: Lab, records: readonly StepRecord[], whole: readonly StepRecord[]): Step[] {
  const record = submission(lab, records);
  const key = record ? keyOf(lab, record, records) : null;
  if (!record || key === null) return [];
  const until = records.slice(0, records.indexOf(record) + 1);
  const about = until.filter((one) => {
    const kind = kindOf(lab, one);
    const acts = kind === 'act' || kind === 'recover' || (kind === 'observe' && one.spec.saves !== undefined);
    return acts && texts(one.args).some(({ text }) => text === key);
  });
  const chain = about.filter(
    (one, index) => !about.slice(index + 1).some((later) => later.command === one.command),
  );
  const fresh = freshKey(key, records);
  const now = late(records, whole);
  return chain.map((one) => renamed(one, chain, key, fresh, now));
}
