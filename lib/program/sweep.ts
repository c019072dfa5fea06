/** The crash matrix: every boundary of the procedure tried in turn. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { isUnchanged, procedureLabels, type RunRecord, runOnce } from './cell.ts';
import { isCrash, type Place, type PlacedFault, placeName } from './control.ts';
import type { ProgramLab } from './load.ts';
import { type CellResult, cellKey, type PartResult, type SweepResult, verdictOf } from './model.ts';
import { withPrepared } from './prepare.ts';
import { Reader } from './reader-client.ts';
import type { Source } from './schema.ts';
import { remove } from './scratch.ts';
import { actionsAt, requireSource } from './sources.ts';
import type { Prepared } from './surroundings.ts';

const BASELINES = 3;
const TRIES = 3;

export interface SweepOptions {
  depth?: number;
  sources?: readonly Source[];
  variants?: readonly string[];
  shard?: { index: number; of: number } | null;
  lanes?: number;
  onPart?(name: string, size: number): void;
  onCell?(cell: CellResult): void;
}

/** Carries out work on all lanes; the results stand in the order of the work. */
async function inLanes<T, R>(
  lanes: number,
  work: readonly T[],
  one: (item: T, reader: Reader) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const failed: unknown[] = [];
  const lane = async () => {
    const reader = new Reader();
    try {
      while (next < work.length && failed.length === 0) {
        const index = next++;
        results[index] = await one(work[index] as T, reader);
      }
    } catch (error) {
      failed.push(error);
    } finally {
      reader.close();
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(lanes, work.length)) }, lane));
  if (failed.length > 0) throw failed[0];
  return results;
}

class Part {
  private readonly prepared: Prepared;
  private readonly source: Source;
  private readonly variant: string | null;
  private readonly options: SweepOptions;
  private readonly lanes: number;
  private count = 0;

  constructor(prepared: Prepared, source: Source, variant: string | null, options: SweepOptions) {
    this.prepared = prepared;
    this.source = source;
    this.variant = variant;
    this.options = options;
    this.lanes = prepared.services.exclusive ? 1 : (options.lanes ?? availableParallelism());
  }

  private get violates(): string[] {
    return this.variant === null ? [] : (this.prepared.lab.spec.variants[this.variant]?.violates ?? []);
  }

  private async run(faults: readonly PlacedFault[], reader: Reader): Promise<RunRecord> {
    this.count += 1;
    const dir = join(this.prepared.scratch, `${this.source}-${this.variant ?? 'plain'}-${this.count}`);
    try {
      return await runOnce({
        prepared: this.prepared,
        source: this.source,
        variant: this.variant,
        faults,
        reader,
        dir,
      });
    } finally {
      remove(dir);
    }
  }

  /** Three runs without a fault; they must hold and agree, else nothing is injected. */
  private async baseline(): Promise<{ records: RunRecord[]; result: PartResult['baseline'] }> {
    const records = await inLanes(this.lanes, Array.from({ length: BASELINES }), (_, reader) =>
      this.run([], reader),
    );
    const first = records[0] as RunRecord;
    const reasons = new Set<string>();
    for (const record of records) {
      for (const step of record.steps) if (step.failure) reasons.add(step.failure);
      for (const gap of record.gaps) reasons.add(gapSentence(gap));
      for (const { id, result, detail } of record.invariants)
        if (result === 'violated') reasons.add(`${id} is violated: ${detail}`);
      if (record.outcomes.some(({ outcome }) => outcome === 'duplicated'))
        reasons.add('an operation has several effects');
    }
    const violated =
      reasons.size > 0 &&
      records.some((record) => record.invariants.some(({ result }) => result === 'violated'));
    const agree = records.every(({ evidence }) => evidence === first.evidence);
    if (!agree) reasons.add(`the runs end with different evidence${difference(records, this.prepared.lab)}`);
    const verdict = reasons.size === 0 ? 'holds' : violated ? 'violated' : 'unknown';
    return { records, result: { verdict, outcomes: first.outcomes, reasons: [...reasons] } };
  }

  private faultsAt(places: readonly Place[]): PlacedFault[] {
    const labels = procedureLabels(this.prepared.lab);
    const order = (place: Place) =>
      labels.includes(place.step) ? labels.indexOf(place.step) : labels.length;
    return places
      .flatMap((place) => actionsAt(this.source, place.at).map((action) => ({ ...place, action })))
      .sort(
        (a, b) =>
          order(a) - order(b) ||
          text(a.step, b.step) ||
          text(a.at, b.at) ||
          text(a.role, b.role) ||
          a.hit - b.hit ||
          text(a.action, b.action),
      );
  }

  private async cell(
    faults: readonly PlacedFault[],
    reader: Reader,
  ): Promise<{ cell: CellResult; record: RunRecord }> {
    for (let turn = 1; ; turn++) {
      const record = await this.run(faults, reader);
      const reached = record.fired.length === faults.length;
      if (!reached && turn < TRIES) continue;
      const cell = cellOf(faults, record, reached, this.violates);
      this.options.onCell?.(cell);
      return { cell, record };
    }
  }

  async sweep(first: number): Promise<PartResult> {
    const { source, variant, violates } = this;
    const { records, result } = await this.baseline();
    const names = records.map(({ places }) => new Set(places.map(placeKey)));
    const everywhere = (records[0] as RunRecord).places.filter((place) =>
      names.every((set) => set.has(placeKey(place))),
    );
    const all = new Map(records.flatMap(({ places }) => places.map((place) => [placeKey(place), place])));
    const background = [...all]
      .filter(([key]) => !names.every((set) => set.has(key)))
      .map(([, place]) => placeName(place));
    const part: PartResult = {
      source,
      variant,
      violates,
      baseline: result,
      background: background.sort(),
      planned: [],
      cells: [],
    };
    if (result.verdict !== 'holds') return part;
    const faults = this.faultsAt(everywhere);
    part.planned = faults.map((fault) => cellKey([fault]));
    const { shard } = this.options;
    const mine = faults.filter((_, index) => !shard || (first + index) % shard.of === shard.index - 1);
    this.options.onPart?.(variant === null ? source : `${source}, ${variant}`, mine.length);
    const done = await inLanes(this.lanes, mine, (fault, reader) => this.cell([fault], reader));
    part.cells = done.map(({ cell }) => cell);
    if ((this.options.depth ?? 1) > 1) part.cells.push(...(await this.deeper(done)));
    return part;
  }

  /** A second fault in the recovery of each crash that was reached. */
  private async deeper(done: readonly { cell: CellResult; record: RunRecord }[]): Promise<CellResult[]> {
    const pairs = done.flatMap(({ cell, record }) => {
      if (!cell.reached) return [];
      const places = record.places.filter(({ step }) => step.startsWith('recovery-'));
      return this.faultsAt(places)
        .filter(({ action }) => isCrash(action))
        .map((fault) => [...cell.faults, fault]);
    });
    this.options.onPart?.('two faults', pairs.length);
    return (await inLanes(this.lanes, pairs, (faults, reader) => this.cell(faults, reader))).map(
      ({ cell }) => cell,
    );
  }
}

const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const placeKey = (place: Place) => JSON.stringify([place.step, place.role, place.at, place.hit]);

const gapSentence = ({ of, store, problem }: RunRecord['gaps'][number]) =>
  `${of} of the store ${store} cannot be read: ${problem.replace(/\.$/, '')}`;

/** Which column differs between the baselines: the one that `ignore` has to name. */
function difference(records: readonly RunRecord[], { spec }: ProgramLab): string {
  const seen = new Map<string, string>();
  for (const { steps } of records) {
    for (const panel of steps.at(-1)?.evidence.panels ?? []) {
      for (const row of panel.rows) {
        for (const [column, value] of Object.entries(row.cells)) {
          if (spec.ignore.includes(`${panel.id}.${column}`)) continue;
          const key = `${panel.id}.${column} of ${row.key}`;
          const now = JSON.stringify(value);
          if ((seen.get(key) ?? now) !== now)
            return `: ${panel.id}.${column} is one time ${seen.get(key)} and one time ${now}; ignore: names what may differ`;
          seen.set(key, now);
        }
      }
    }
  }
  return '';
}

function cellOf(
  faults: readonly PlacedFault[],
  record: RunRecord,
  reached: boolean,
  violates: readonly string[],
): CellResult {
  const violated = record.invariants.filter(({ result }) => result === 'violated').map(({ id }) => id);
  const bad = record.invariants.filter(({ id, result }) => result === 'violated' && !violates.includes(id));
  const open = record.invariants.filter(({ result }) => result === 'unknown');
  const gaps = [...new Set(record.gaps.map(gapSentence))];
  const isOpen = open.length > 0 || gaps.length > 0;
  const last = [...record.steps]
    .reverse()
    .find(({ failure }) => failure !== null && !isFault(failure, record));
  const reasons = [
    ...bad.map(({ id, detail }) => `${id} is violated: ${detail}`),
    ...open.map(({ id }) => `${id} is unknown`),
    ...gaps,
  ];
  if (reasons.length > 0 && last?.failure && last.label.startsWith('recovery'))
    reasons.push(`${last.label}: ${last.failure}`);
  return {
    key: cellKey(faults),
    faults: [...faults],
    reached,
    verdict: bad.length > 0 ? 'violated' : isOpen || !reached ? 'unknown' : 'holds',
    outcomes: record.outcomes,
    invariants: record.invariants,
    violated,
    reasons: reached ? reasons : ['its fault was not reached'],
    evidence: record.evidence,
  };
}

/** True for the failure that the fault itself is. */
const isFault = (failure: string, record: RunRecord) =>
  record.steps.some(
    (step) => step.failure === failure && step.fault.fired.some(({ action }) => isCrash(action)),
  );

/** Which sources and variants are swept, in the order of the file. @throws DrillError `usage` for an unknown one */
function choose(
  { spec }: ProgramLab,
  options: SweepOptions,
): { sources: Source[]; variants: (string | null)[] } {
  const known = Object.keys(spec.variants);
  for (const variant of options.variants ?? []) {
    if (!known.includes(variant))
      throw new DrillError(
        'usage',
        `There is no variant "${variant}"; the file has ${known.join(', ') || 'none'}.`,
      );
  }
  const wanted = options.variants?.length ? known.filter((one) => options.variants?.includes(one)) : known;
  return {
    sources: [...(options.sources ?? spec.boundaries.sources)],
    variants: wanted.length > 0 ? wanted : [null],
  };
}

/**
 * Sweeps a lab: three runs without a fault, then one run for each fault at each boundary.
 *
 * @returns the matrix. Equal sweeps give equal results
 * @throws DrillError `unavailable` where the lab's services or its setup fail, `usage` for a source that cannot be used
 */
export async function sweepProgram(lab: ProgramLab, options: SweepOptions = {}): Promise<SweepResult> {
  const { sources, variants } = choose(lab, options);
  for (const source of sources) await requireSource(source, lab.spec);
  return withPrepared(lab, async (prepared) => {
    const parts: PartResult[] = [];
    for (const source of sources) {
      for (const variant of variants) {
        const first = parts.reduce((count, part) => count + part.planned.length, 0);
        parts.push(await new Part(prepared, source, variant, options).sweep(first));
      }
    }
    const shard = options.shard ?? null;
    const { verdict, reasons } = verdictOf(parts, shard === null);
    const changed = isUnchanged(lab) ? [] : ['the file was changed during the sweep'];
    return {
      format: 'program-sweep/1',
      lab: lab.spec.lab,
      title: lab.spec.title,
      digest: lab.digest,
      depth: options.depth ?? 1,
      shard,
      verdict: changed.length > 0 && verdict === 'holds' ? 'unknown' : verdict,
      reasons: [...reasons, ...changed],
      parts,
    };
  });
}
