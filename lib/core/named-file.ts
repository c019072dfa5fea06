import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { DrillError, type ErrorCode } from './errors.ts';

const CHUNK = 64 * 1024;

/** What a path leads to that has no content of its own: opened, but never waited for. */
class NoFile extends Error {}

/** What a shell hands over under such a name, `<(plan)` for one, has a writer: it may be waited for. */
const HANDED_OVER = /^\/dev\/(fd\/\d+|stdin)$/;

function readAtMost(file: string, bytes: number): Buffer | null {
  const piped = HANDED_OVER.test(file);
  // A pipe that nobody writes to would hold up the opening itself, and with it the whole server.
  const handle = openSync(file, constants.O_RDONLY | (piped ? 0 : constants.O_NONBLOCK));
  try {
    const stat = fstatSync(handle);
    if (stat.isDirectory()) throw new NoFile('a folder, not a file');
    if (!stat.isFile() && !piped) throw new NoFile('a pipe or a device, not a file');
    const chunks: Buffer[] = [];
    let left = bytes + 1;
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(CHUNK, left));
      const count = readSync(handle, chunk, 0, chunk.length, null);
      if (count === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, count));
      left -= count;
    }
    return null;
  } finally {
    closeSync(handle);
  }
}

/**
 * Reads a regular file that a person named, or what the shell hands over in its place. It is read up to the limit and not measured first: it may grow meanwhile.
 *
 * @param limit how many bytes are taken at most, and what to say of a file that has more: "larger than ..."
 * @param missing the code for a file that is not there
 * @param name what the file is called in a refusal
 * @throws DrillError `missing`, or `malformed` for what is too large, no regular file, or not to be read
 */
export function readNamedFile(
  file: string,
  limit: { bytes: number; says: string },
  missing: ErrorCode = 'not-found',
  name = file,
): Buffer {
  let content: Buffer | null;
  try {
    content = readAtMost(file, limit.bytes);
  } catch (cause) {
    if (cause instanceof NoFile) throw new DrillError('malformed', `${name} is ${cause.message}.`, { cause });
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new DrillError(missing, `There is no file ${name}.`, { cause });
    // A socket cannot be opened at all.
    const why = code === 'ENXIO' ? 'it is no regular file' : message;
    throw new DrillError('malformed', `${name} cannot be read: ${why}.`, { cause });
  }
  if (!content) throw new DrillError('malformed', `${name} is larger than ${limit.says}.`);
  return content;
}
