/** The `wire` source of boundaries: a proxy of ours stands before PostgreSQL, Redis or an HTTP service. */
import { once } from 'node:events';
import type { Server } from 'node:net';
import { WireControl, type WireOptions } from './control.ts';
import { startHttp } from './http.ts';
import { linkServer } from './link.ts';
import { PostgresFollower } from './postgres.ts';
import { RedisFollower } from './redis.ts';

export {
  type Side,
  type WireAction,
  type WireFault,
  type WireKind,
  type WireOptions,
  wireActions,
} from './control.ts';

export interface Wire {
  /** On 127.0.0.1. */
  port: number;
  /** Ends all connections and the proxy. */
  close(): Promise<void>;
}

interface Listening {
  server: Server;
  silence(): void;
  destroy(): void;
}

function listener(options: WireOptions, control: WireControl): Listening {
  if (options.kind === 'http') return startHttp(options, control);
  const Follower = options.kind === 'postgres' ? PostgresFollower : RedisFollower;
  return linkServer(options, control, (link) => new Follower(link, control));
}

/**
 * Starts a proxy before one service, for one step.
 *
 * Every statement or request that can write has a boundary `before` (seen, not yet forwarded) and one `after`
 * (its reply is complete, not yet handed on). Each hit is one line of `trace.ndjson` in the control directory.
 * The faults of `faults.json` that name a boundary of this kind of service act once a step.
 *
 * @returns the port, and how to end it
 * @throws DrillError `usage` where an armed action makes no sense at its boundary
 */
export async function startWire(options: WireOptions): Promise<Wire> {
  let running: Listening | undefined;
  const control = new WireControl({
    ...options,
    kill: () => {
      options.kill();
      running?.silence();
    },
  });
  const started = listener(options, control);
  running = started;
  started.server.listen(0, '127.0.0.1');
  await once(started.server, 'listening');
  const address = started.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    close: async () => {
      control.close();
      const closed = started.server.listening ? once(started.server, 'close') : undefined;
      started.server.close();
      started.destroy();
      await closed;
    },
  };
}
