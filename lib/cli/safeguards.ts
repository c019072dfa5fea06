/** `drill safeguards <lab>`: which invariant fails with which rule missing. */
import { scenariosOf } from '../drill/scenario.ts';
import {
  type SafeguardTable,
  safeguardTable,
  togetherOnly,
  type WeakCell,
} from '../drill/sweep/safeguards.ts';
import type { Lab } from '../labs/contract.ts';
import { getLab } from '../labs/registry.ts';
import { progress } from './matrix.ts';
import { exitOf } from './run.ts';
import { inScratch } from './scratch.ts';

export interface SafeguardsOptions {
  pairs?: boolean;
  json?: boolean;
}

const shown = ({ column, invariants, reason, byChance }: WeakCell): string =>
  `  ${column.padEnd(40)} ${invariants.join(', ') || reason}${byChance ? ' (by chance)' : ''}`;

function pairLine(pair: WeakCell, singles: readonly WeakCell[]): string {
  const only = togetherOnly(pair, singles);
  return shown({ ...pair, column: `${pair.without.join(' + ')}: ${pair.column}`, invariants: only });
}

function print(lab: Lab, table: SafeguardTable): void {
  const lines: string[] = [];
  const deviating = table.sound.filter(({ verdict }) => verdict !== 'holds');
  lines.push(
    deviating.length === 0
      ? `everything on: ${table.sound.length} scenarios and procedures come out as declared`
      : 'everything on, and yet otherwise than declared:',
    ...deviating.map(shown),
  );
  for (const { name, prevents } of lab.safeguards) {
    const failing = table.singles.filter((cell) => cell.without[0] === name && cell.verdict !== 'holds');
    lines.push('', `without ${name}: ${prevents}`, ...failing.map(shown));
    if (failing.length === 0) lines.push('  nothing notices');
  }
  if (table.paired) {
    lines.push('', 'pairs, and what fails with both missing and with neither alone:');
    const of = table.pairs.map((cell) => pairLine(cell, table.singles));
    lines.push(...(of.length > 0 ? of : ['  none']));
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

const LAYERS = ['everything on', 'one rule missing', 'two rules missing'];

/** @returns the exit code: 0 where every rule is missed and nothing else deviates, 1 or 2 otherwise */
export async function safeguardsCommand(labId: string, options: SafeguardsOptions): Promise<number> {
  const lab = getLab(labId);
  const line = progress();
  const table = await inScratch('sweep', (dir) =>
    safeguardTable(lab, {
      dir,
      scenarios: scenariosOf(lab.id),
      pairs: options.pairs === true,
      onLayer: (depth, size) => line.layer(LAYERS[depth] ?? '', size),
      onCell: () => line.cell(),
    }),
  );
  line.end();
  if (options.json) process.stdout.write(`${JSON.stringify(table, null, 2)}\n`);
  else print(lab, table);
  return exitOf(table.verdict);
}
