import { requireNode } from './node-version.mjs';

requireNode();
process.env.NODE_ENV = 'production';
const { enableCompileCache } = await import('node:module');
enableCompileCache?.();
await import('../server.ts');
