import { requireNode } from './node-version.mjs';

requireNode();
// A reader that has seen enough (`drill list | head`) ends the program as SIGPIPE would, without a stack.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 141 : 70));
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
const { main } = await import('../lib/cli/main.ts');
process.exitCode = await main(process.argv.slice(2));
