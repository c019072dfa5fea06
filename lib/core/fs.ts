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
} = process.getBuiltinModule('node:fs');

const { writeSync } = process.getBuiltinModule('node:fs');

/**
 * Writes a whole text to standard output at once, even where the pipe takes it in pieces, and without the stream that
 * `process.stdout` would first have to build.
 *
 * @throws the system's error where nobody reads any more
 */
export function writeOut(text: string): void {
  let left = Buffer.from(text);
  while (left.length > 0) {
    try {
      left = left.subarray(writeSync(1, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
