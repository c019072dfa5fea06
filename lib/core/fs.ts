/**
 * node:fs for whatever executors load. Importing it as a module builds a facade of all its exports, streams and
 * promises included, which is a sixth of an executor's start-up (`npm run bench`).
 */
export const {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} = process.getBuiltinModule('node:fs');
