import { closeSync, openSync, readSync } from 'node:fs';
import { DrillError, type ErrorCode } from './errors.ts';

const CHUNK = 64 * 1024;

function readAtMost(file: string, bytes: number): Buffer | null {
  const handle = openSync(file, 'r');
  try {
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
 * Reads a file that a person named. It is read up to the limit and not measured first: a pipe and a device have no
 * size.
 *
 * @param limit how many bytes are taken at most, and what to say of a file that has more: "larger than ..."
 * @param missing the code for a file that is not there
 * @throws DrillError `missing`, or `malformed` for what is too large, a folder, or not to be read
 */
export function readNamedFile(
  file: string,
  limit: { bytes: number; says: string },
  missing: ErrorCode = 'not-found',
): Buffer {
  let content: Buffer | null;
  try {
    content = readAtMost(file, limit.bytes);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new DrillError(missing, `There is no file ${file}.`, { cause });
    if (code === 'EISDIR') throw new DrillError('malformed', `${file} is a folder, not a file.`, { cause });
    throw new DrillError('malformed', `${file} cannot be read: ${message}.`, { cause });
  }
  if (!content) throw new DrillError('malformed', `${file} is larger than ${limit.says}.`);
  return content;
}
