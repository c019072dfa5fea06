/** `drill matrix <lab>`: the crash matrix in a throw-away directory, a layer at a time. */
import { DrillError } from '../core/errors.ts';
import type { CellResult, SweepReport } from '../drill/sweep/model.ts';
import { runSweep } from '../drill/sweep/sweep.ts';
import { getLab } from '../labs/registry.ts';
import { checkSafeguards } from '../operations/start-run.ts';
import { exitOf, junit, requireWritable, writeReport } from './run.ts';
import { inScratch } from './scratch.ts';

export const MAX_DEPTH = 3;

export interface MatrixOptions {
  depth: number;
  json?: boolean;
  junit?: string;
  without: string[];
}

/** @throws DrillError `usage` for anything but 1, 2 and 3 */
export function parseDepth(text: string): number {
  const depth = Number(text);
  if (Number.isInteger(depth) && depth >= 1 && depth <= MAX_DEPTH) return depth;
  throw new DrillError('usage', `--depth: a cell has 1 to ${MAX_DEPTH} faults, not "${text}".`);
}

/** A line on standard error that a terminal overwrites: how far a layer is. */
export function progress(): { layer(name: string, size: number): void; cell(): void; end(): void } {
  const shown = process.stderr.isTTY === true;
  let name = '';
  let size = 0;
  let done = 0;
  const draw = () => shown && process.stderr.write(`\r\u001b[K${name}: ${done} of ${size}`);
  return {
    layer(next, count) {
      [name, size, done] = [next, count, 0];
      draw();
    },
    cell() {
      done += 1;
      draw();
    },
    end() {
      if (shown) process.stderr.write('\r\u001b[K');
    },
  };
}

function cellLine(cell: CellResult): string {
  const effects = `${cell.effects} ${cell.effects === 1 ? 'effect' : 'effects'}`;
  return `  ${cell.verdict.padEnd(8)} ${cell.key}  ${cell.decision}, ${effects}`;
}

function print(report: SweepReport): void {
  const lines: string[] = [];
  if (report.without.length > 0) lines.push(`without ${report.without.join(', ')}`);
  for (const { id, baseline } of report.procedures) {
    lines.push(
      `procedure ${id}: ${baseline.verdict} without a fault, ${baseline.reached.length} places for one`,
    );
  }
  for (const { depth, size, cells } of report.layers) {
    const count = (verdict: string) => cells.filter((cell) => cell.verdict === verdict).length;
    const declared = cells.filter((cell) => cell.verdict === 'holds' && cell.violated.length > 0).length;
    const aside = declared > 0 ? ` (${declared} with a violation that their procedure declares)` : '';
    lines.push(
      `depth ${depth}: ${size} cells, ${count('holds')} hold${aside}, ${count('violated')} violated, ${count('unknown')} unknown`,
    );
    for (const cell of cells.filter(({ verdict }) => verdict !== 'holds')) {
      lines.push(cellLine(cell), ...cell.reasons.map((reason) => `           ${reason}`));
    }
  }
  for (const { procedure, invariant, cells } of report.may) {
    lines.push(`${procedure} may violate ${invariant}: ${cells} ${cells === 1 ? 'cell does' : 'cells do'}`);
  }
  const never = report.neverReached.map(({ role, at }) => `${role}/${at}`);
  lines.push(`never reached: ${never.join(', ') || 'none'}`);
  lines.push(...report.reasons);
  const { needed, started } = report.executors;
  lines.push(`${report.verdict}: ${needed} executors needed, ${started} started, the rest shared`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** @returns the report that CI reads: a test case a cell, the baselines first */
export function junitReport(report: SweepReport): string {
  const cells = [
    ...report.procedures.map(({ baseline }) => baseline),
    ...report.layers.flatMap((layer) => layer.cells),
  ];
  const suite = `${report.lab} matrix`;
  const cases = cells.map((cell) => ({
    name: cell.faults.length > 0 ? cell.key : `${cell.procedure}: without a fault`,
    suite,
    verdict: cell.verdict,
    reasons: cell.reasons,
  }));
  const whole = { name: 'the matrix as a whole', suite, verdict: report.verdict, reasons: report.reasons };
  return junit(report.reasons.length > 0 ? [...cases, whole] : cases);
}

/** @returns the exit code: 0 holds, 1 violated, 2 unknown */
export async function matrixCommand(labId: string, options: MatrixOptions): Promise<number> {
  const lab = getLab(labId);
  checkSafeguards(lab, options.without);
  requireWritable(options.junit);
  const line = progress();
  const report = await inScratch('sweep', (dir) =>
    runSweep(lab, {
      dir,
      depth: options.depth,
      without: options.without,
      onLayer: (depth, size) => line.layer(depth === 0 ? 'without a fault' : `depth ${depth}`, size),
      onCell: () => line.cell(),
    }),
  );
  line.end();
  if (options.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  else print(report);
  writeReport(options.junit, () => junitReport(report));
  return exitOf(report.verdict);
}
