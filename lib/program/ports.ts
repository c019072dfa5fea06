/** Free ports, and services that listen. */
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const given = new Set<number>();

/** A port of the loopback that nobody uses, and that this process has not given away before. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await new Promise<number>((resolve, reject) => {
      const server = createServer();
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address() as { port: number };
        server.close(() => resolve(address.port));
      });
    });
    if (given.has(port)) continue;
    given.add(port);
    return port;
  }
}

/** True where something accepts a connection. */
export function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.setTimeout(1000, () => socket.destroy());
    socket.once('connect', () => {
      resolve(true);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

/** Waits for a port to accept a connection: `ready`, or why not. */
export async function waitForPort(
  host: string,
  port: number,
  withinMs: number,
  ended: () => boolean,
): Promise<'ready' | 'ended' | 'late'> {
  const deadline = Date.now() + withinMs;
  while (Date.now() < deadline) {
    if (ended()) return 'ended';
    if (await accepts(host, port)) return ended() ? 'ended' : 'ready';
    await sleep(10);
  }
  return 'late';
}
