/** Joins what shards wrote into one matrix, and says what is missing or was done twice. */
import { z } from 'zod';
import { DrillError } from '../core/errors.ts';
import { readNamedFile } from '../core/named-file.ts';
import { type PartResult, partName, type SweepResult, verdictOf, worst } from './model.ts';
import { SOURCES } from './schema.ts';

const LIMIT = { bytes: 256 * 1024 * 1024, says: 'the result of a sweep can be (256 MB)' };
const result = z.enum(['holds', 'violated', 'unknown']);
const outcomes = z.array(
  z.strictObject({
    operation: z.string(),
    outcome: z.enum(['once', 'duplicated', 'lost', 'stuck', 'refused', 'unknown']),
    effects: z.int().nullable(),
    why: z.enum(['waiting', 'locked', 'failed']).optional(),
  }),
);
const texts = z.array(z.string());
const cell = z.strictObject({
  key: z.string(),
  faults: z.array(
    z.strictObject({ step: z.string(), role: z.string(), at: z.string(), hit: z.int(), action: z.string() }),
  ),
  reached: z.boolean(),
  verdict: result,
  outcomes,
  invariants: z.array(z.strictObject({ id: z.string(), result, detail: z.string() })),
  violated: texts,
  reasons: texts,
  evidence: z.string(),
});
const part = z.strictObject({
  source: z.enum(SOURCES),
  variant: z.string().nullable(),
  violates: texts,
  baseline: z.strictObject({ verdict: result, outcomes, reasons: texts }),
  background: texts,
  planned: texts,
  cells: z.array(cell),
});
const sweepSchema = z.strictObject({
  format: z.literal('program-sweep/1'),
  lab: z.string(),
  title: z.string(),
  digest: z.string(),
  depth: z.int(),
  shard: z.strictObject({ index: z.int(), of: z.int() }).nullable(),
  verdict: result,
  reasons: texts,
  parts: z.array(part),
});

/** @throws DrillError `not-found`, or `malformed` for what is no result of a sweep */
export function readSweep(file: string): SweepResult {
  const text = readNamedFile(file, LIMIT).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new DrillError('malformed', `${file} is not JSON.`, { cause });
  }
  const parsed = sweepSchema.safeParse(value);
  if (!parsed.success)
    throw new DrillError(
      'malformed',
      `${file} is not what "drill sweep --json" prints (${parsed.error.issues[0]?.path.join('.') || 'format'}).`,
    );
  return parsed.data as SweepResult;
}

const sameText = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one, index) => one === b[index]);

function joinPart(parts: readonly PartResult[]): { part: PartResult; reasons: string[] } {
  const first = parts[0] as PartResult;
  const name = partName(first);
  const reasons: string[] = [];
  const bad = parts.find(({ baseline }) => baseline.verdict !== 'holds');
  const swept = parts.filter(({ baseline }) => baseline.verdict === 'holds');
  if (!swept.every(({ planned }) => sameText(planned, (swept[0] as PartResult).planned)))
    reasons.push(`${name}: the shards found different boundaries`);
  const planned = [...new Set(swept.flatMap((one) => one.planned))];
  const byKey = Map.groupBy(
    parts.flatMap(({ cells }) => cells),
    ({ key }) => key,
  );
  for (const [key, cells] of byKey)
    if (cells.length > 1) reasons.push(`${name}: ${key} was done ${cells.length} times`);
  for (const key of planned) if (!byKey.has(key)) reasons.push(`${name}: ${key} is missing`);
  const deeper = [...byKey.keys()].filter((key) => !planned.includes(key)).sort();
  // The worst of what was done twice counts.
  const cells = [...planned, ...deeper].flatMap((key) => {
    const all = byKey.get(key) ?? [];
    return all.filter(({ verdict }) => verdict === worst(all.map((one) => one.verdict))).slice(0, 1);
  });
  return {
    part: {
      ...first,
      baseline: (bad ?? first).baseline,
      background: [...new Set(parts.flatMap(({ background }) => background))].sort(),
      planned,
      cells,
    },
    reasons,
  };
}

/**
 * Joins the results of shards.
 *
 * @returns one matrix: `unknown` at best where a cell is missing
 * @throws DrillError `malformed` where they are not of the same file and the same depth
 */
export function mergeSweeps(results: readonly SweepResult[]): SweepResult {
  const first = results[0];
  if (!first) throw new DrillError('usage', 'merge needs the files that the shards wrote.');
  const other = results.find(
    (one) => one.lab !== first.lab || one.digest !== first.digest || one.depth !== first.depth,
  );
  if (other)
    throw new DrillError(
      'malformed',
      `These are results of different sweeps: ${first.lab} ${first.digest.slice(0, 8)} at depth ${first.depth}, ${other.lab} ${other.digest.slice(0, 8)} at depth ${other.depth}.`,
    );
  const groups = Map.groupBy(
    results.flatMap(({ parts }) => parts),
    partName,
  );
  const joined = [...groups.values()].map(joinPart);
  const parts = joined.map(({ part }) => part);
  const gaps = joined.flatMap(({ reasons }) => reasons);
  const { of } = first.shard ?? { of: 1 };
  const seen = new Set(results.map(({ shard }) => shard?.index ?? 1));
  for (let index = 1; index <= of; index++)
    if (!seen.has(index)) gaps.push(`shard ${index}/${of} is missing`);
  const { verdict, reasons } = verdictOf(parts, true);
  return {
    ...first,
    shard: null,
    verdict: gaps.length > 0 ? worst([verdict, 'unknown']) : verdict,
    reasons: [...new Set([...reasons, ...gaps])],
    parts,
  };
}
