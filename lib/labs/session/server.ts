/** The MCP server, a child of the client: its standard input and output are the wire and nothing else. */
import { boundary } from '../../boundary/boundary.ts';
import type { ServerSpec } from './words.ts';

const { dir, spec } = JSON.parse(process.argv[2] ?? '{}') as { dir: string; spec: ServerSpec };

async function start(): Promise<void> {
  process.stderr.write('starting\n');
  boundary('server-start');
  // Loaded after the boundary: a server that is killed there has not begun to speak.
  const { serve } = await import('./serving.ts');
  await serve(dir, spec);
  process.stderr.write('ready\n');
}

void start();
