/** The connections to an HTTP service: one for each connection of a client, as it would be without a proxy. */
import { Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http';
import type { Socket } from 'node:net';

interface Target {
  host: string;
  port: number;
}

/** They concern one connection, and each of the two has its own. */
const HOP_BY_HOP = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade|expect)$/i;

function origin({ host, port }: Target): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === 80 ? name : `${name}:${port}`;
}

/** The headers of a request as the service would see them without the proxy, flat: name, value, name, value. */
export function forwardedHeaders(
  request: IncomingMessage,
  target: Target,
  { upgrade = false }: { upgrade?: boolean } = {},
): string[] {
  const headers: string[] = [];
  const raw = request.rawHeaders;
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    if (/^host$/i.test(name)) headers.push(name, origin(target));
    else if (upgrade || !HOP_BY_HOP.test(name)) headers.push(name, value);
  }
  if (!upgrade && request.headers['transfer-encoding'] !== undefined)
    headers.push('Transfer-Encoding', 'chunked');
  return headers;
}

/** The headers of a reply for the client. A place at the service's own address becomes one at the proxy's. */
export function returnedHeaders(reply: IncomingMessage, target: Target, host: string | undefined): string[] {
  const headers: string[] = [];
  const raw = reply.rawHeaders;
  const own = `http://${origin(target)}`;
  for (let at = 0; at < raw.length; at += 2) {
    const [name, value] = [raw[at] as string, raw[at + 1] as string];
    const local = /^location$/i.test(name) && (value === own || value.startsWith(`${own}/`));
    if (local && host !== undefined) headers.push(name, `http://${host}${value.slice(own.length)}`);
    else if (!HOP_BY_HOP.test(name)) headers.push(name, value);
  }
  if (/\bclose\b/i.test(reply.headers.connection ?? '')) headers.push('Connection', 'close');
  return headers;
}

export class Upstream {
  readonly target: Target;
  readonly #agents = new Map<Socket, Agent>();
  readonly #sockets = new Set<Socket>();

  constructor(target: Target) {
    this.target = target;
  }

  /** Sees to it that a connection ends with the proxy. */
  own(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  /** A request to the service, on the connection that belongs to the client's. */
  open(request: IncomingMessage): ClientRequest {
    const client = request.socket;
    let agent: Agent | undefined = this.#agents.get(client);
    if (!agent && !client.destroyed) {
      const fresh = new Agent({ keepAlive: true, maxSockets: 1 });
      this.#agents.set(client, fresh);
      client.once('close', () => {
        this.#agents.delete(client);
        // Idle ones only: a request that was sent runs on at the service.
        for (const sockets of Object.values(fresh.freeSockets))
          for (const socket of sockets ?? []) socket.destroy();
      });
      agent = fresh;
    }
    const forwarded = open({
      host: this.target.host,
      port: this.target.port,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: forwardedHeaders(request, this.target),
      agent: agent ?? false,
      setHost: false,
    });
    forwarded.on('socket', (socket) => {
      socket.setNoDelay(true);
      this.own(socket);
    });
    return forwarded;
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
