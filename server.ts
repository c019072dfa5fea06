/** The dashboard's server: claims the data directory, binds the address, builds where needed, serves. */
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, isBuilt } from './bin/build.mjs';
import { DrillError } from './lib/core/errors.ts';
import { unreadable } from './lib/operations/guard.ts';
import { becomeServer, retire } from './lib/operations/serve.ts';

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

interface Address {
  host: string;
  port: number;
}

function address(): Address {
  let values: { port?: string; host?: string };
  try {
    ({ values } = parseArgs({ options: { port: { type: 'string' }, host: { type: 'string' } } }));
  } catch (error) {
    const why = (error as Error).message.replace(/\.?$/, '.');
    throw new DrillError('usage', `${why} There are --port and --host.`);
  }
  // `||`: a variable that is set to nothing says nothing, and an empty host would mean every address.
  const given = values.port ?? (process.env.PORT || '3000');
  const port = Number(given);
  if (!/^\d+$/.test(given) || port > 65_535) throw new DrillError('usage', `"${given}" is no port number.`);
  return { host: values.host || process.env.DRILL_HOST || '127.0.0.1', port };
}

function bind(server: Server, { host, port }: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const sentence =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is in use. Stop what uses it, or choose another one: npm start -- --port ${port + 1}.`
          : error.code === 'EACCES'
            ? `Port ${port} on ${host} may not be used by this user. Choose one above 1023.`
            : `This server cannot listen on ${host}, port ${port}: ${error.message}.`;
      reject(new DrillError('busy', sentence, { cause: error }));
    });
    server.listen(port, host, () => {
      const bound = server.address();
      resolve(typeof bound === 'object' && bound ? bound.port : port);
    });
  });
}

function endWith(code: number): void {
  // A second signal must not wait for the first.
  setTimeout(() => process.exit(code), 3_000).unref();
  retire().finally(() => process.exit(code));
}

/** Whoever read the log may be gone (`npm start | tee log`, and tee ended): that is no reason to stop serving. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

async function main(): Promise<void> {
  outliveReaders();
  const root = dirname(fileURLToPath(import.meta.url));
  const wanted = address();
  // Bundled code finds lib/ and db/ by these; the guard in front of the pages knows the address by the other.
  process.env.DRILL_ROOT = root;
  process.env.DRILL_BIND = wanted.host;
  const recovered = await becomeServer();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => endWith(0));
  let handle: ((...args: Parameters<Parameters<typeof createServer>[1] & object>) => unknown) | undefined;
  let open: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = createServer(async (request, response) => {
    const why = unreadable(request.url ?? '/');
    if (why) {
      response.writeHead(400, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
      return;
    }
    await ready;
    // Compressing what never leaves this machine costs a click more than it saves.
    if (LOOPBACK.test(request.socket.remoteAddress ?? '')) delete request.headers['accept-encoding'];
    handle?.(request, response);
  });
  const port = await bind(server, wanted);
  if (!isBuilt()) {
    process.stdout.write('Building the pages, once for these sources.\n');
    if (!build()) throw new DrillError('defect', 'The pages could not be built; what is above says why.');
  }
  const { default: next } = await import('next');
  const app = next({ dev: false, dir: root, hostname: wanted.host, port });
  handle = app.getRequestHandler();
  await app.prepare();
  open();
  for (const run of recovered.settled) process.stdout.write(`Run ${run}: its owner had ended; settled.\n`);
  for (const { run, reason } of recovered.failed)
    process.stderr.write(`Run ${run} could not be settled: ${reason}\n`);
  process.stdout.write(`Recovery drills on http://${wanted.host}:${port}\n`);
}

try {
  await main();
} catch (error) {
  const known = error instanceof DrillError;
  process.stderr.write(`${known ? error.message : (error as Error).stack}\n`);
  await retire().catch(() => {});
  process.exit(known ? error.exit : 70);
}
