/** The real server, its pages over HTTP, and many clients at once. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { projectRoot } from '../lib/core/project-root.ts';
import { type Row, times } from './measure.ts';

export interface Served {
  url: string;
  dir: string;
  stop(): Promise<void>;
}

/** Starts the dashboard on a free port, in a directory of its own, or in a given one that is removed afterwards. */
export async function serve(dir = mkdtempSync(join(tmpdir(), 'drill-bench-'))): Promise<Served> {
  const child: ChildProcess = spawn(process.execPath, ['server.ts', '--port', '0'], {
    cwd: projectRoot(),
    env: { ...process.env, DRILL_DATA_DIR: dir, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk;
      const found = /Recovery drills on (http:\S+)/.exec(said)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`The server ended with ${code}: ${said}`)));
  });
  return {
    url,
    dir,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function page(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.text();
}

const decode = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** The hidden fields of the form that has a button of that name: what a browser without JavaScript would post. */
function formOf(html: string, button: string): FormData {
  const forms = html.match(/<form[\s\S]*?<\/form>/g) ?? [];
  const found = forms.find((form) => form.includes(button));
  if (!found) throw new Error(`There is no form with "${button}".`);
  const form = new FormData();
  for (const [input] of found.matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    if (name) form.set(decode(name), decode(/value="([^"]*)"/.exec(input)?.[1] ?? ''));
  }
  return form;
}

async function post(url: string, form: FormData): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body: form,
    headers: { origin: new URL(url).origin },
    redirect: 'manual',
  });
}

/** Begins a run of a scenario as a browser does, and returns its address. */
export async function begin(url: string, scenario = 'receipt/lost-ack'): Promise<string> {
  const address = `${url}/scenarios/${scenario}`;
  const response = await post(address, formOf(await page(address), 'Start the drill'));
  const to = response.headers.get('location');
  await response.arrayBuffer();
  if (!to) throw new Error(`No run was begun: ${response.status}`);
  return `${new URL(to, url)}?predict=off`;
}

/** One click on "Next step" without JavaScript: the answer is the whole page after the step. */
export async function clickNext(address: string): Promise<void> {
  const response = await post(address, formOf(await page(address), 'Next step'));
  const text = await response.text();
  if (!response.ok || text.includes('role="alert"')) throw new Error(`${address}: ${response.status}`);
}

/** Copies one finished run until there are so many. */
function multiply(dir: string, count: number): void {
  const db = new Database(join(dir, 'dashboard.sqlite'));
  const columns = (table: string) =>
    (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
  const run = db.prepare('SELECT * FROM runs LIMIT 1').get() as Record<string, unknown>;
  const steps = db.prepare('SELECT * FROM steps WHERE run = ?').all(run.id) as Record<string, unknown>[];
  const insert = (table: string) =>
    db.prepare(
      `INSERT INTO ${table} VALUES (${columns(table)
        .map((name) => `@${name}`)
        .join(', ')})`,
    );
  const [intoRuns, intoSteps] = [insert('runs'), insert('steps')];
  db.transaction(() => {
    for (let index = 1; index < count; index += 1) {
      const id = `r${index.toString(36).padStart(8, '0')}${index.toString(16).padStart(12, '0')}`;
      intoRuns.run({ ...run, id });
      for (const step of steps) intoSteps.run({ ...step, run: id });
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

async function stored(count: number, samples: number): Promise<Record<string, number[]>> {
  const first = await serve();
  const address = await begin(first.url);
  for (let step = 0; step < 5; step += 1) await clickNext(address);
  const dir = mkdtempSync(join(tmpdir(), 'drill-bench-'));
  cpSync(first.dir, dir, { recursive: true });
  await first.stop();
  multiply(dir, count);
  const server = await serve(dir);
  try {
    const path = new URL(address).pathname;
    const values: Record<string, number[]> = {};
    for (const [name, to] of [
      ['catalogue', '/'],
      ['runs page', '/runs'],
      ['drill page', path],
    ] as const) {
      for (let warm = 0; warm < 5; warm += 1) await page(server.url + to);
      values[name] = await times(samples, () => page(server.url + to));
    }
    return values;
  } finally {
    await server.stop();
  }
}

/** Pages with 10,000 stored runs against 10. */
export async function storedRuns(samples: number): Promise<Row[]> {
  const few = await stored(10, samples);
  const many = await stored(10_000, samples);
  const { median } = await import('./measure.ts');
  return Object.entries(many).map(([name, values]) => ({
    measure: `${name} with 10,000 stored runs`,
    values,
    floor: { name: 'at 10', ms: median(few[name] ?? []) },
    goal: 1.2,
  }));
}

/**
 * Fifty clients click "Next step" at once, in runs of their own. The limit is the pool's own throughput: as many
 * steps, one lane a core, each request and answer alone.
 */
export async function crowd(clients = 50): Promise<Row[]> {
  const server = await serve();
  try {
    const addresses: string[] = [];
    for (let index = 0; index < clients; index += 1) addresses.push(await begin(server.url));
    const lanes = availableParallelism();
    const waiting = [...addresses];
    const begun = performance.now();
    const lane = async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) await clickNext(next);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    const limit = performance.now() - begun;
    let failures = 0;
    const values = await Promise.all(
      addresses.map(async (address) => {
        const at = performance.now();
        await clickNext(address).catch(() => {
          failures += 1;
        });
        return performance.now() - at;
      }),
    );
    const { quantile } = await import('./measure.ts');
    return [
      {
        measure: `${clients} clients at once, p95 of click to page`,
        values: [quantile(values, 0.95)],
        floor: { name: 'limit', ms: limit },
        goal: 1.5,
        note: `${failures} failures; limit: ${clients} clicks in ${lanes} lanes took ${limit.toFixed(0)} ms`,
      },
    ];
  } finally {
    await server.stop();
  }
}
