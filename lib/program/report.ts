/** A matrix in words: for a terminal, and as test cases. */
import type { Outcome } from './judge.ts';
import { type CellResult, type PartResult, partName, type SweepResult } from './model.ts';

/** An outcome in words: "2 effects", "stuck: waiting, 1 effect". */
export function outcomeText({ outcome, effects, why }: Outcome): string {
  const count = effects === null ? '' : effects === 1 ? '1 effect' : `${effects} effects`;
  if (outcome === 'duplicated') return `duplicated: ${count}`;
  if (outcome === 'stuck') return `stuck: ${why}, ${count}`;
  if (outcome === 'refused' && effects) return `refused, and ${count}`;
  return outcome;
}

const outcomesText = (outcomes: readonly Outcome[]) =>
  outcomes.length === 1
    ? outcomeText(outcomes[0] as Outcome)
    : outcomes.map((one) => `${one.operation} ${outcomeText(one)}`).join(', ');

function cellLines(cell: CellResult, width: number): string[] {
  if (!cell.reached) return [`  ${cell.key.padEnd(width)}  not reached`];
  const declared = cell.verdict === 'holds' && cell.violated.length > 0 ? '  as declared' : '';
  const mark = cell.verdict === 'holds' ? declared : `  ${cell.verdict}`;
  const line = `  ${cell.key.padEnd(width)}  ${outcomesText(cell.outcomes)}${mark}`;
  return [line, ...cell.reasons.map((reason) => `  ${' '.repeat(width)}  ${reason}`)];
}

function partLines(part: PartResult): string[] {
  const lines = ['', partName(part)];
  const { baseline, cells, background } = part;
  if (baseline.verdict !== 'holds')
    return [
      ...lines,
      `  without a fault: ${baseline.verdict}; nothing was crashed`,
      ...baseline.reasons.map((one) => `    ${one}`),
    ];
  lines.push(`  without a fault: ${outcomesText(baseline.outcomes)}, three times alike`);
  const width = Math.min(70, Math.max(0, ...cells.map(({ key }) => key.length)));
  lines.push(...cells.flatMap((cell) => cellLines(cell, width)));
  if (background.length > 0) lines.push(`  background, not swept: ${background.join(', ')}`);
  return lines;
}

/** The matrix for a terminal. */
export function matrixText(result: SweepResult): string {
  const cells = result.parts.flatMap((part) => part.cells);
  const count = (verdict: string) => cells.filter((cell) => cell.reached && cell.verdict === verdict).length;
  const unreached = cells.filter(({ reached }) => !reached).length;
  const shard = result.shard ? `, shard ${result.shard.index} of ${result.shard.of}` : '';
  return [
    `${result.title} (${result.lab})${shard}`,
    ...result.parts.flatMap(partLines),
    '',
    ...result.reasons,
    `${result.verdict}: ${cells.length} cells, ${count('holds')} hold, ${count('violated')} violated, ${count('unknown')} unknown${unreached > 0 ? `, ${unreached} not reached` : ''}`,
    '',
  ].join('\n');
}

/** The matrix as test cases: the baselines, the cells that were reached, and what only the whole can tell. */
export function testCases(
  result: SweepResult,
): { name: string; suite: string; verdict: CellResult['verdict']; reasons: string[] }[] {
  const suite = `${result.lab} sweep`;
  const cases = result.parts.flatMap((part) => [
    { name: `${partName(part)}: without a fault`, suite, ...part.baseline },
    ...part.cells
      .filter(({ reached }) => reached)
      .map(({ key, verdict, reasons }) => ({ name: `${partName(part)}: ${key}`, suite, verdict, reasons })),
  ]);
  const whole = { name: 'the matrix as a whole', suite, verdict: result.verdict, reasons: result.reasons };
  return result.reasons.length > 0 ? [...cases, whole] : cases;
}
