import { requireNode } from './node-version.mjs';

requireNode();
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
await import('../lib/cli/main.ts');
