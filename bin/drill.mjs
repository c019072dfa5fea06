import { requireNode } from './node-version.mjs';

requireNode();
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
const { main } = await import('../lib/cli/main.ts');
process.exitCode = await main(process.argv.slice(2));
