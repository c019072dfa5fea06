/** The sweep: every boundary, every way to die, layer by layer, exhaustive (docs/design.md, "Words"). */
import { availableParallelism } from 'node:os';
import { DrillError } from '../../core/errors.ts';
import type { Lab, Procedure } from '../../labs/contract.ts';
import { runCell } from './cell.ts';
import { inLanes } from './lanes.ts';
import {
  type CellPlan,
  type CellResult,
  cellKey,
  type LayerReport,
  type ProcedureReport,
  type SweepReport,
  WAYS,
  type Way,
  worst,
} from './model.ts';
import { type WalkOptions, Walks } from './walk.ts';

export interface SweepOptions extends Omit<WalkOptions, 'lab'> {
  /** How many faults a cell may have. */
  depth?: number;
  /** Procedures by id; all of the lab if left out. */
  procedures?: readonly string[];
  /** Ways to die; all three if left out. */
  ways?: readonly Way[];
  /** Cells at work at once; as many as cores if left out. */
  lanes?: number;
  /** Cells that are known already, by key: they are taken as they are and not run again. */
  known?: ReadonlyMap<string, CellResult>;
  /** Ends the sweep between two cells. */
  signal?: AbortSignal;
  /** A layer begins; its size is known. Layer 0 is the baselines. */
  onLayer?: (depth: number, size: number) => void;
  /** A cell has its result; not called for those known before. */
  onCell?: (cell: CellResult, depth: number) => void;
  /** Answers true to end the sweep after this cell: what was looked for is found. */
  until?: (cell: CellResult) => boolean;
}

class Stopped extends Error {}

/** The cells of the first layer: each boundary hit of a baseline, each way to die. */
function firstLayer(baselines: readonly CellResult[], ways: readonly Way[]): CellPlan[] {
  return baselines.flatMap(({ procedure, reached }) =>
    reached.flatMap((place) => ways.map((way) => ({ procedure, faults: [{ ...place, action: way }] }))),
  );
}

/**
 * The cells of a further layer: after each cell, each boundary hit that its recovery reaches. A chain of faults dies
 * one way throughout; the first layer has tried all of them everywhere.
 */
function nextLayer(cells: readonly CellResult[]): CellPlan[] {
  return cells.flatMap(({ procedure, faults, reached }) =>
    reached.map((place) => ({
      procedure,
      faults: [...faults, { ...place, action: faults.at(-1)?.action ?? 'exit' }],
    })),
  );
}

function baselineTrouble(procedure: Procedure, cell: CellResult): string | null {
  if (cell.verdict === 'holds') return null;
  return `Procedure "${procedure.id}" does not come out as declared even without a fault (${cell.reasons.join('; ')}), so no fault was placed.`;
}

class Sweep {
  private readonly lab: Lab;
  private readonly options: SweepOptions;
  private readonly walks: Walks;
  private readonly procedures: Procedure[];
  private found = false;

  constructor(lab: Lab, options: SweepOptions) {
    this.lab = lab;
    this.options = options;
    this.walks = new Walks({ ...options, lab });
    this.procedures = chosen(lab, options.procedures);
  }

  async close(): Promise<void> {
    await this.walks.close();
  }

  private async cell(plan: CellPlan, depth: number): Promise<CellResult> {
    if (this.found) throw new Stopped();
    const known = this.options.known?.get(cellKey(plan));
    if (known) return known;
    this.options.signal?.throwIfAborted();
    const procedure = this.procedures.find(({ id }) => id === plan.procedure) as Procedure;
    const result = await runCell(this.lab, procedure, plan, this.walks);
    this.options.onCell?.(result, depth);
    if (this.options.until?.(result)) this.found = true;
    return result;
  }

  private async layer(plans: readonly CellPlan[], depth: number): Promise<CellResult[]> {
    this.options.onLayer?.(depth, plans.length);
    const lanes = this.options.lanes ?? availableParallelism();
    const cells: CellResult[] = [];
    try {
      await inLanes(plans, lanes, async (plan) => {
        const cell = await this.cell(plan, depth);
        cells.push(cell);
      });
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    const order = new Map(plans.map((plan, index) => [cellKey(plan), index]));
    return cells.sort((a, b) => (order.get(a.key) ?? 0) - (order.get(b.key) ?? 0));
  }

  async run(): Promise<SweepReport> {
    const { depth = 1, ways = WAYS } = this.options;
    const baselines = await this.layer(
      this.procedures.map(({ id }) => ({ procedure: id, faults: [] })),
      0,
    );
    const stopped = this.procedures
      .map((procedure, index) => {
        const baseline = baselines[index];
        return baseline ? baselineTrouble(procedure, baseline) : null;
      })
      .filter((sentence) => sentence !== null)
      .join(' ');
    const layers: LayerReport[] = [];
    let plans = stopped ? [] : firstLayer(baselines, ways);
    for (let level = 1; level <= depth && plans.length > 0 && !this.found; level += 1) {
      const cells = await this.layer(plans, level);
      layers.push({ depth: level, size: plans.length, cells });
      plans = nextLayer(cells);
    }
    return this.report(baselines, layers, stopped || null);
  }

  private report(baselines: CellResult[], layers: LayerReport[], stopped: string | null): SweepReport {
    const { depth = 1, without = [] } = this.options;
    const cells = layers.flatMap((layer) => layer.cells);
    const may = mayReport(this.procedures, cells);
    const reasons = stopped ? [stopped] : [];
    // With a safeguard off the declaration of the sound lab is no measure of completeness.
    if (!stopped && !this.found && without.length === 0) {
      for (const { procedure, invariant } of may.filter((entry) => entry.cells === 0)) {
        reasons.push(`${procedure} declares that a cell violates ${invariant}, and none does`);
      }
    }
    const all = [...baselines, ...cells];
    const verdicts = all.map((cell) => cell.verdict);
    return {
      lab: this.lab.id,
      depth,
      without: [...without],
      verdict: worst(reasons.length > 0 ? [...verdicts, 'violated'] : verdicts),
      reasons,
      stopped,
      procedures: baselines.map((baseline): ProcedureReport => ({ id: baseline.procedure, baseline })),
      layers,
      neverReached: neverReached(this.lab, all, without),
      may,
      executors: {
        needed: all.reduce((sum, cell) => sum + cell.executors.needed, 0),
        started: this.walks.started,
      },
    };
  }
}

function chosen(lab: Lab, ids: readonly string[] | undefined): Procedure[] {
  const stranger = ids?.find((id) => !lab.procedures.some((procedure) => procedure.id === id));
  if (stranger !== undefined) {
    const known = lab.procedures.map(({ id }) => id).join(', ');
    throw new DrillError('usage', `Lab ${lab.id} has no procedure "${stranger}"; there are: ${known}.`);
  }
  return lab.procedures.filter(({ id }) => !ids || ids.includes(id));
}

function mayReport(procedures: readonly Procedure[], cells: readonly CellResult[]): SweepReport['may'] {
  return procedures.flatMap(({ id, may }) =>
    may.map((invariant) => ({
      procedure: id,
      invariant,
      cells: cells.filter((cell) => cell.procedure === id && cell.violated.includes(invariant)).length,
    })),
  );
}

/** Boundaries of the manifest that no cell reached; those of a safeguard that is on are not expected. */
export function neverReached(
  lab: Lab,
  cells: readonly CellResult[],
  without: readonly string[],
): { role: string; at: string }[] {
  const seen = new Set(
    cells.flatMap((cell) => [...cell.faults, ...cell.reached]).map(({ role, at }) => `${role}/${at}`),
  );
  return lab.boundaries
    .filter(({ onlyWithout }) => onlyWithout === undefined || without.includes(onlyWithout))
    .filter(({ role, name }) => !seen.has(`${role}/${name}`))
    .map(({ role, name }) => ({ role, at: name }));
}

/**
 * Sweeps a lab's procedures.
 *
 * @returns the matrix; a baseline that does not come out as declared stops it and is said in `stopped`
 * @throws DrillError `usage` for a procedure that does not exist or that holds an executor; the signal's reason where
 *   it was cancelled
 */
export async function runSweep(lab: Lab, options: SweepOptions): Promise<SweepReport> {
  const sweep = new Sweep(lab, options);
  try {
    return await sweep.run();
  } finally {
    await sweep.close();
  }
}
