/** Arguments of a step, with the values that earlier steps saved filled in. */
import { DrillError } from '../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { StepFacts, StepSpec } from './model.ts';

/** What each `saves:` has taken so far: the reply of the step's first executor. */
export function savedValues(history: readonly StepFacts[]): JsonObject {
  const saved: JsonObject = {};
  for (const record of history) {
    const reply = record.executors[0]?.reply;
    if (record.spec.saves && reply) saved[record.spec.saves] = reply;
  }
  return saved;
}

function take(name: string, saved: JsonObject, label: string): Json {
  const value = saved[name];
  if (value === undefined) {
    throw new DrillError('malformed', `Step "${label}" uses $${name}, which no earlier step has saved.`);
  }
  return value;
}

function setMember(target: Json, path: string, value: Json): void {
  const keys = path.split('.');
  const last = keys.pop() as string;
  let at: Json | undefined = target;
  for (const key of keys) at = isObject(at) ? at[key] : undefined;
  if (!isObject(at)) throw new DrillError('malformed', `There is no member "${path}" to set.`);
  at[last] = value;
}

function resolveValue(value: Json, saved: JsonObject, label: string): Json {
  if (typeof value === 'string' && /^\$[A-Za-z][\w-]*$/.test(value))
    return take(value.slice(1), saved, label);
  if (isObject(value) && typeof value.from === 'string' && isObject(value.set)) {
    const copy = structuredClone(take(value.from, saved, label));
    for (const [path, member] of Object.entries(value.set)) setMember(copy, path, member);
    return copy;
  }
  return value;
}

/**
 * @returns the step's arguments with `$name` and `{from, set}` replaced
 * @throws DrillError `malformed` where a value was never saved or has no such member
 */
export function resolveArgs(spec: StepSpec, saved: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(spec.args ?? {}).map(([name, value]) => [name, resolveValue(value, saved, spec.label)]),
  );
}

/** Names of saved values that a step's arguments use. */
export function savedNames(spec: StepSpec): string[] {
  return Object.values(spec.args ?? {}).flatMap((value) => {
    if (typeof value === 'string' && /^\$[A-Za-z][\w-]*$/.test(value)) return [value.slice(1)];
    if (isObject(value) && typeof value.from === 'string' && isObject(value.set)) return [value.from];
    return [];
  });
}

/** The logical clock of a step: its own, else the last one given. */
export function clockOf(spec: StepSpec, history: readonly StepFacts[]): number {
  return spec.now ?? history.at(-1)?.now ?? 0;
}
