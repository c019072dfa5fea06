/** The MCP server, a child of the client: its standard input and output are the wire and nothing else. */
import { boundary } from '../../boundary/boundary.ts';
import type { ServerSpec } from './words.ts';

const { dir, spec } = JSON.parse(process.argv[2] ?? '{}') as { dir: string; spec: ServerSpec };

/** Until the client has written something: what it does before that has an order of its own. Ends where it never will. */
const spokenTo = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.once('readable', () => {
      if (process.stdin.readableLength === 0) process.exit(0);
      resolve();
    });
  });

async function start(): Promise<void> {
  process.stderr.write('starting\n');
  await spokenTo();
  boundary('server-start');
  // Loaded after the boundary: a server that is killed there has not begun to speak.
  const { serve } = await import('./serving.ts');
  await serve(dir, spec);
  process.stderr.write('ready\n');
}

void start();
