/**
 * Boundaries in a Node program that was not written for them (docs/protocol.md):
 *
 *   NODE_OPTIONS='--import file:///.../register.mjs' DRILL_CONTROL=/path node program.js
 *
 * Plain JavaScript without a dependency: it runs in the program's own Node and beside its own packages.
 */
import { writeSync } from 'node:fs';
import * as module from 'node:module';

if (typeof module.registerHooks !== 'function') {
  writeSync(
    2,
    `recovery-drills: boundaries in a Node program need Node 22.15 or newer, and this is ${process.versions.node}; use a newer Node, or the sources "code" or "wire".\n`,
  );
  process.exit(64);
}

if (process.env.DRILL_CONTROL) {
  const { watchFiles, watchProcesses, watchRequests, watchSqlite } = await import('./builtins.mjs');
  const { watchLibraries } = await import('./libraries.mjs');
  watchFiles();
  watchProcesses();
  watchRequests();
  watchSqlite(module);
  watchLibraries(module);
  module.syncBuiltinESMExports();
}
