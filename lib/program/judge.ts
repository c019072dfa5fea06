/** Judges what was found: the outcome of each operation, and the invariants. Three-valued throughout. */
import type { CheckResult, Row } from '../evidence/model.ts';
import type { Observation } from './evidence.ts';
import { NAMED_INVARIANTS, type NamedInvariant, type ProgramSpec } from './schema.ts';

export type OutcomeKind = 'once' | 'duplicated' | 'lost' | 'stuck' | 'refused' | 'unknown';

export interface Outcome {
  operation: string;
  outcome: OutcomeKind;
  /** Effects that the ground truth has of it; null where it cannot be read. */
  effects: number | null;
  /** Of `stuck`. */
  why?: 'waiting' | 'locked' | 'failed';
}

export interface InvariantResult {
  id: string;
  result: CheckResult;
  detail: string;
}

type State = 'success' | 'refused' | 'failed' | 'locked' | 'waiting';

/** How an operation is recorded; null where the record cannot be read. */
function stateOf(spec: ProgramSpec, { evidence, gaps }: Observation, operation: string): State | null {
  const { panel, cell, success, refused, failed, locked } = spec.settled;
  if (gaps.some(({ of }) => of === `panel ${panel}`)) return null;
  const rows = evidence.panels.find(({ id }) => id === panel)?.rows ?? [];
  const row: Row | undefined = rows.find(({ key }) => key === operation);
  const value = row?.cells[cell];
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  if (success.includes(text)) return 'success';
  if (refused.includes(text)) return 'refused';
  if (failed.includes(text)) return 'failed';
  return locked.includes(text) ? 'locked' : 'waiting';
}

/** Effects by operation; null where the ground truth cannot be read. */
function effectsOf({ evidence, gaps }: Observation): Map<string, number> | null {
  if (gaps.some(({ of }) => of === 'effects')) return null;
  const counts = new Map<string, number>();
  for (const { operation } of evidence.truth) {
    if (operation !== null) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  }
  return counts;
}

/** What became of each operation of the run. */
export function outcomesOf(spec: ProgramSpec, observation: Observation): Outcome[] {
  const counts = effectsOf(observation);
  return spec.operations.map((operation): Outcome => {
    const state = stateOf(spec, observation, operation);
    if (counts === null || state === null)
      return { operation, outcome: 'unknown', effects: counts ? (counts.get(operation) ?? 0) : null };
    const effects = counts.get(operation) ?? 0;
    if (effects > 1) return { operation, outcome: 'duplicated', effects };
    if (state === 'refused') return { operation, outcome: 'refused', effects };
    if (state === 'success') return { operation, outcome: effects === 1 ? 'once' : 'lost', effects };
    return { operation, outcome: 'stuck', effects, why: state };
  });
}

/** True where every operation has an end that is recorded: nothing is left to do. */
export function allSettled(spec: ProgramSpec, observation: Observation): boolean {
  return spec.operations.every((operation) =>
    ['success', 'refused'].includes(stateOf(spec, observation, operation) ?? ''),
  );
}

const effectsText = (count: number) => (count === 1 ? '1 effect' : `${count} effects`);
const settled = (id: string, broken: string[], open: boolean): InvariantResult => ({
  id,
  result: broken.length > 0 ? 'violated' : open ? 'unknown' : 'holds',
  detail: broken.join('; '),
});

function atMostOne(observation: Observation): InvariantResult {
  const id = 'at-most-one-effect';
  const counts = effectsOf(observation);
  const broken = [...(counts ?? [])].filter(([, count]) => count > 1);
  return settled(
    id,
    broken.map(([operation, count]) => `${operation} has ${effectsText(count)}`).sort(),
    counts === null,
  );
}

function successHasItsEffect(spec: ProgramSpec, observation: Observation): InvariantResult {
  const counts = effectsOf(observation);
  const broken: string[] = [];
  let open = counts === null;
  for (const operation of spec.operations) {
    const state = stateOf(spec, observation, operation);
    const effects = counts?.get(operation) ?? 0;
    if (state === null) open = true;
    if (counts === null) continue;
    if (state === 'success' && effects === 0)
      broken.push(`${operation} is recorded as done and has no effect`);
    if (state === 'refused' && effects > 0)
      broken.push(`${operation} is recorded as refused and has ${effectsText(effects)}`);
  }
  return settled('success-has-its-effect', broken, open);
}

function effectGetsSettled(spec: ProgramSpec, observation: Observation): InvariantResult {
  const counts = effectsOf(observation);
  const broken: string[] = [];
  let open = counts === null;
  for (const operation of spec.operations) {
    const state = stateOf(spec, observation, operation);
    if (state === null) open = true;
    if (state === null || state === 'success' || state === 'refused') continue;
    const effects = counts === null ? '' : ` with ${effectsText(counts.get(operation) ?? 0)}`;
    broken.push(`${operation} is not settled${effects}: ${state}`);
  }
  return settled('effect-gets-settled', broken, open);
}

const NAMED: Record<NamedInvariant, (spec: ProgramSpec, observation: Observation) => InvariantResult> = {
  'at-most-one-effect': (_, observation) => atMostOne(observation),
  'success-has-its-effect': successHasItsEffect,
  'effect-gets-settled': effectGetsSettled,
};

/** What an invariant promises, in one sentence. */
export function invariantSays(one: ProgramSpec['invariants'][number]): string {
  return typeof one === 'string' ? NAMED_INVARIANTS[one] : one.says;
}

/** @param atEnd false while the recovery is still to come: what is only promised for the end is left out */
export function invariantsOf(spec: ProgramSpec, observation: Observation, atEnd: boolean): InvariantResult[] {
  return spec.invariants.flatMap((one): InvariantResult[] => {
    if (typeof one === 'string') {
      if (one === 'effect-gets-settled' && !atEnd) return [];
      return [NAMED[one](spec, observation)];
    }
    if (one.at === 'end' && !atEnd) return [];
    const rows = observation.queries[one.id];
    if (!rows) return [{ id: one.id, result: 'unknown', detail: 'its query has no answer' }];
    const first = rows[0] ? `, the first ${JSON.stringify(rows[0]).slice(0, 200)}` : '';
    const count = rows.length === 1 ? '1 row' : `${rows.length} rows`;
    return [
      {
        id: one.id,
        result: rows.length > 0 ? 'violated' : 'holds',
        detail: rows.length > 0 ? count + first : '',
      },
    ];
  });
}
