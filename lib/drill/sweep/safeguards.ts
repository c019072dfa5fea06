/** What is missed when a rule is missing: each safeguard off, every scenario and the matrix run against it. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DrillError } from '../../core/errors.ts';
import type { CheckResult } from '../../evidence/model.ts';
import type { Lab } from '../../labs/contract.ts';
import { rawDir } from '../engine.ts';
import type { Scenario } from '../model.ts';
import { reasonWords, resultOf } from '../reasons.ts';
import { runScenario } from '../run.ts';
import { finalVerdict, type Judgment } from '../verdict.ts';
import { inLanes } from './lanes.ts';
import { type CellResult, worst } from './model.ts';
import { Scratch } from './scratch.ts';
import { canShare, runShared } from './shared.ts';
import { runSweep, type SweepOptions } from './sweep.ts';
import { Walks, WorkPool } from './walk.ts';

/** One cell of the table: these safeguards off, one scenario or one procedure's matrix. */
export interface WeakPlan {
  without: string[];
  column: string;
}

export interface WeakCell extends WeakPlan {
  key: string;
  /** `holds`: as declared, nobody notices here. */
  verdict: CheckResult;
  /** Ids of the invariants that come out otherwise than declared. */
  invariants: string[];
  /** What comes out otherwise, one short line; empty where nothing does. */
  reason: string;
  /** The scenario has a race, and who wins is free: another time it may come out otherwise. Never counts as noticed. */
  byChance?: true;
}

export interface SafeguardTable {
  lab: string;
  /** Scenario ids, then `matrix:<procedure>`. */
  columns: string[];
  safeguards: string[];
  /** With everything on. */
  sound: WeakCell[];
  singles: WeakCell[];
  /** Cells in which two missing rules break a invariant that neither breaks alone, or fail where neither does. */
  pairs: WeakCell[];
  /** Whether pairs were tried at all. */
  paired: boolean;
  /** Safeguards that nothing notices for certain. */
  unnoticed: string[];
  /** Violated where something deviates with everything on, or a safeguard is noticed by nothing. */
  verdict: CheckResult;
}

export interface TableOptions
  extends Pick<SweepOptions, 'dir' | 'start' | 'gate' | 'lanes' | 'signal' | 'share'> {
  scenarios: readonly Scenario[];
  /** Try each two of them as well. */
  pairs?: boolean;
  known?: ReadonlyMap<string, WeakCell>;
  /** 0 everything on, 1 singles, 2 pairs. */
  onLayer?: (depth: number, size: number) => void;
  onCell?: (cell: WeakCell, depth: number) => void;
}

const MATRIX = 'matrix:';

/** Name of a cell of the table: `review|receipt/lost-ack`, safeguards joined by a `+`. */
export function weakKey({ without, column }: WeakPlan): string {
  return `${without.join('+')}|${column}`;
}

/** Columns of a lab's table. */
export function columnsOf(lab: Lab, scenarios: readonly Scenario[]): string[] {
  return [...scenarios.map(({ id }) => id), ...lab.procedures.map(({ id }) => `${MATRIX}${id}`)];
}

type Finding = Pick<WeakCell, 'verdict' | 'invariants' | 'reason'>;

/** What broke, by the first reason: a verdict names an invariant before a check, and a check before a step. */
export function whatBroke(lab: Pick<Lab, 'invariants'>, judgment: Judgment): Finding {
  const broken = judgment.invariants
    .filter(({ result, declared }) =>
      declared === 'violates' ? result !== 'violated' : result === 'violated',
    )
    .map(({ id }) => id);
  const first = judgment.reasons.find((reason) => resultOf(reason) !== 'holds');
  return {
    verdict: finalVerdict(judgment),
    invariants: broken,
    reason: first ? reasonWords(lab, first) : '',
  };
}

/** Some scenarios wait for a bound of the lab's own: with as many lanes as cores a core would wait with them. */
const LANES = 2 * availableParallelism();

class Table {
  private readonly lab: Lab;
  private readonly options: TableOptions;
  private readonly walks = new Map<string, Walks>();
  private readonly scratch: Scratch;
  private readonly pool: WorkPool;
  private count = 0;

  constructor(lab: Lab, options: TableOptions) {
    this.lab = lab;
    this.options = options;
    this.scratch = new Scratch(options.dir);
    this.pool = new WorkPool(lab, options.start);
  }

  private walksFor(without: readonly string[]): Walks {
    const key = [...without].sort().join('+') || 'none';
    let walks = this.walks.get(key);
    if (!walks) {
      const { start, gate } = this.options;
      walks = new Walks({
        lab: this.lab,
        dir: this.directory(),
        without,
        ...this.sharing(),
        ...(start ? { start } : {}),
        ...(gate ? { gate } : {}),
      });
      this.walks.set(key, walks);
    }
    return walks;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private sharing(): Pick<SweepOptions, 'share' | 'pool'> {
    return this.options.share === false ? { share: false } : { pool: this.pool };
  }

  private directory(): string {
    return join(this.options.dir, `t${this.count++}`);
  }

  private async scenario(scenario: Scenario, without: readonly string[]): Promise<Judgment> {
    const off = [...new Set([...(scenario.without ?? []), ...without])];
    if (!canShare(scenario)) {
      const { start, gate } = this.options;
      const dir = this.directory();
      const work = { dir, without: off, ...(start ? { start } : {}), ...(gate ? { gate } : {}) };
      const run = await this.scratch.guard(() => runScenario(this.lab, scenario, work));
      this.scratch.require(...run.records.map((_, index) => rawDir(dir, index + 1)));
      return run;
    }
    return runShared(this.lab, scenario, this.walksFor(off));
  }

  private async matrix(procedure: string, without: readonly string[], quick: boolean): Promise<Finding> {
    const { start, gate } = this.options;
    const report = await runSweep(this.lab, {
      dir: this.directory(),
      procedures: [procedure],
      ways: ['exit'],
      lanes: 1,
      without,
      ...this.sharing(),
      ...(quick ? { until: (cell: CellResult) => cell.verdict === 'violated' } : {}),
      ...(start ? { start } : {}),
      ...(gate ? { gate } : {}),
    });
    const cells = [
      ...report.procedures.map(({ baseline }) => baseline),
      ...report.layers.flatMap((layer) => layer.cells),
    ];
    const may = this.lab.procedures.find(({ id }) => id === procedure)?.may ?? [];
    const bad =
      cells.find((cell) => cell.verdict === 'violated') ?? cells.find((cell) => cell.verdict !== 'holds');
    const at = bad?.faults.map((fault) => fault.at).join(', then ') || 'no fault';
    return {
      verdict: worst([report.verdict, ...cells.map(({ verdict }) => verdict)]),
      invariants: [...new Set(cells.flatMap(({ violated }) => violated))].filter((id) => !may.includes(id)),
      reason: bad ? `${at}: ${bad.reasons[0] ?? ''}` : (report.reasons[0] ?? ''),
    };
  }

  /** A step that this weakened lab cannot even be asked for is no answer of the lab's, but a deviation all the same. */
  private async outcome({ without, column }: WeakPlan, quick: boolean): Promise<Finding> {
    try {
      if (column.startsWith(MATRIX)) return await this.matrix(column.slice(MATRIX.length), without, quick);
      const scenario = this.options.scenarios.find(({ id }) => id === column) as Scenario;
      return whatBroke(this.lab, await this.scenario(scenario, without));
    } catch (error) {
      if (!(error instanceof DrillError) || error.code === 'unavailable') throw error;
      return { verdict: 'violated', invariants: [], reason: error.message };
    }
  }

  /** @param quick a matrix ends at the first cell that comes out otherwise, and names that cell's invariants alone */
  async cells(plans: readonly WeakPlan[], depth: number, quick = false): Promise<WeakCell[]> {
    const { onLayer, onCell, known, lanes, signal } = this.options;
    onLayer?.(depth, plans.length);
    return inLanes(plans, lanes ?? LANES, async (plan) => {
      const key = weakKey(plan);
      const recorded = known?.get(key);
      if (recorded) return recorded;
      signal?.throwIfAborted();
      const chance = plan.without.length > 0 && !isCertain(this.lab, this.options.scenarios, plan);
      const outcome = await this.outcome(plan, quick);
      const cell: WeakCell = { ...plan, key, ...outcome, ...(chance ? { byChance: true } : {}) };
      onCell?.(cell, depth);
      return cell;
    });
  }
}

/** Who wins a race is free, so what a missing rule does in one may come out otherwise the next time. */
function isRepeatable(scenarios: readonly Scenario[], { column }: WeakPlan): boolean {
  return !scenarios.find(({ id }) => id === column)?.steps.some((step) => step.race);
}

/** The lab says that the absence of one of these safeguards is noticed there whoever wins. */
function isCertain(lab: Lab, scenarios: readonly Scenario[], plan: WeakPlan): boolean {
  const declared = lab.safeguards.some(
    ({ name, certainIn }) => plan.without.includes(name) && certainIn?.includes(plan.column),
  );
  return declared || isRepeatable(scenarios, plan);
}

/** A scenario that is declared with the safeguard off says nothing of its absence. */
function applies(scenarios: readonly Scenario[], { without, column }: WeakPlan): boolean {
  const own = scenarios.find(({ id }) => id === column)?.without ?? [];
  return !without.some((name) => own.includes(name));
}

const aloneOf = (pair: WeakCell, singles: readonly WeakCell[]): WeakCell[] =>
  singles.filter((cell) => cell.column === pair.column && pair.without.includes(cell.without[0] as string));

/** Of a pair: the invariants that neither of the two breaks alone. */
export function togetherOnly(pair: WeakCell, singles: readonly WeakCell[]): string[] {
  const known = aloneOf(pair, singles).flatMap(({ invariants }) => invariants);
  return pair.invariants.filter((id) => !known.includes(id));
}

function breaksTogether(pair: WeakCell, singles: readonly WeakCell[]): boolean {
  if (togetherOnly(pair, singles).length > 0) return true;
  return pair.verdict === 'violated' && aloneOf(pair, singles).every(({ verdict }) => verdict === 'holds');
}

function pairsOf(names: readonly string[]): string[][] {
  return names.flatMap((first, index) => names.slice(index + 1).map((second) => [first, second]));
}

/**
 * Runs the table of a lab.
 *
 * @returns which invariant fails where; `unnoticed` names rules that nothing would miss
 * @throws the signal's reason where it was cancelled
 */
export async function safeguardTable(lab: Lab, options: TableOptions): Promise<SafeguardTable> {
  const table = new Table(lab, options);
  try {
    return await fill(lab, options, table);
  } finally {
    await table.close();
  }
}

async function fill(lab: Lab, options: TableOptions, table: Table): Promise<SafeguardTable> {
  const { scenarios } = options;
  const columns = columnsOf(lab, scenarios);
  const names = lab.safeguards.map(({ name }) => name);
  const rows = (sets: readonly string[][]) =>
    sets
      .flatMap((without) => columns.map((column): WeakPlan => ({ without, column })))
      .filter((plan) => applies(scenarios, plan));
  const sound = await table.cells(rows([[]]), 0);
  const singles = await table.cells(rows(names.map((name) => [name])), 1);
  const pairs = options.pairs
    ? await table.cells(
        rows(pairsOf(names)).filter((plan) => isRepeatable(scenarios, plan)),
        2,
      )
    : [];
  const unnoticed = names.filter(
    (name) =>
      !singles.some(
        ({ without, verdict, byChance }) => without[0] === name && verdict === 'violated' && !byChance,
      ),
  );
  const deviating = worst(sound.map(({ verdict }) => verdict));
  return {
    lab: lab.id,
    columns,
    safeguards: names,
    sound,
    singles,
    pairs: pairs.filter((pair) => breaksTogether(pair, singles)),
    paired: options.pairs === true,
    unnoticed,
    verdict: unnoticed.length > 0 ? 'violated' : deviating,
  };
}

/**
 * The first cell that notices the absence of a safeguard for certain, scenarios before the matrix; null where none does.
 * For checks that want a yes or no, not the table.
 */
export async function noticedBy(
  lab: Lab,
  safeguard: string,
  options: TableOptions,
): Promise<WeakCell | null> {
  const table = new Table(lab, options);
  try {
    for (const column of columnsOf(lab, options.scenarios)) {
      const plan = { without: [safeguard], column };
      if (!applies(options.scenarios, plan) || !isCertain(lab, options.scenarios, plan)) continue;
      const [cell] = await table.cells([plan], 1, true);
      if (cell?.verdict === 'violated') return cell;
    }
    return null;
  } finally {
    await table.close();
  }
}
