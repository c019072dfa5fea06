/** A proxy before an HTTP/1.1 service. The service's own time-outs and limits apply; the proxy adds none. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { WireControl, WireOptions } from './control.ts';
import { Exchange } from './http-exchange.ts';
import { forwardedHeaders, Upstream } from './http-upstream.ts';

/** A WebSocket or the like: passed on as bytes. */
function upgrade(
  upstream: Upstream,
  options: WireOptions,
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
) {
  const service = connect(options.target);
  upstream.own(service);
  const lines = [`${request.method} ${request.url} HTTP/1.1`];
  const headers = forwardedHeaders(request, options.target, { upgrade: true });
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  service.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  service.write(head);
  client.pipe(service);
  service.pipe(client);
  for (const [one, other] of [
    [client, service],
    [service, client],
  ] as const) {
    one.on('error', () => {});
    one.on('close', () => other.destroy());
  }
}

/**
 * @param options of the proxy
 * @param control of the step
 * @returns a server that does not listen yet
 */
export function startHttp(
  options: WireOptions,
  control: WireControl,
): { server: Server; silence(): void; destroy(): void } {
  const upstream = new Upstream(options.target);
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    void new Exchange(control, upstream, request, response).run();
  };
  const server = createServer(
    { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, noDelay: true },
    answer,
  );
  server.timeout = 0;
  server.maxRequestsPerSocket = 0;
  server.on('connection', (socket: Socket) => {
    if (control.dead) socket.destroy();
  });
  server.on('upgrade', (request: IncomingMessage, client: Socket, head: Buffer) => {
    upgrade(upstream, options, request, client, head);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  return {
    server,
    silence: () => upstream.destroy(),
    destroy: () => {
      upstream.destroy();
      server.closeAllConnections();
    },
  };
}
