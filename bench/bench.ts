/**
 * `npm run bench`: how long things take on this machine, as multiples of floors measured in the same run.
 *
 *   npm run bench -- [--only processes,drill,outbox,matrix,browser,stored,crowd] [--n 30]
 */
import { availableParallelism, cpus, loadavg, release } from 'node:os';
import { parseArgs } from 'node:util';
import { browserClicks } from './browser.ts';
import { median, type Row, rowText } from './measure.ts';
import { bare, drill, start, steps } from './processes.ts';
import { crowd, storedRuns } from './server.ts';
import { matrices, outboxCases } from './sweeps.ts';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, n: { type: 'string', default: '30' } },
});
const count = Math.max(1, Number(options.n) || 30);
const only = options.only?.split(',');

function print(rows: readonly Row[]): void {
  for (const row of rows) process.stdout.write(`${rowText(row)}\n`);
}

const load = () => loadavg()[0]?.toFixed(1);
process.stdout.write(
  `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${process.platform} ${release()}, Node ${process.versions.node}, load ${load()} before\n`,
);

await bare(3);
const bareMs = await bare(count);
const startMs = await start();
print([
  { measure: 'bare: one node -e 0', values: bareMs, floor: null, goal: null },
  {
    measure: 'start: better-sqlite3 and an open database, all cores',
    values: [startMs],
    floor: null,
    goal: null,
  },
]);
const floor = median(bareMs);

const PARTS: Record<string, () => Promise<Row[]>> = {
  processes: () => steps(count, floor),
  drill: () => drill(count, floor),
  outbox: async () => [await outboxCases(3, startMs)],
  matrix: () => matrices(startMs),
  browser: () => browserClicks(count, floor),
  stored: () => storedRuns(count),
  crowd: () => crowd(),
};

for (const [name, part] of Object.entries(PARTS)) {
  if (only && !only.includes(name)) continue;
  try {
    print(await part());
  } catch (error) {
    process.stdout.write(`${name} could not be measured: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
process.stdout.write(`load ${load()} after\n`);
process.exit(process.exitCode ?? 0);
