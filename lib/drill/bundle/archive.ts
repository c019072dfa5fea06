/**
 * Zip files, in memory. What is read is hostile until proven otherwise: nothing of it is used as a path, nothing
 * is written to disk, and no entry is unpacked before the whole directory of the archive has been looked at.
 */
import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl';
import { ZipFile as Writer } from 'yazl';
import { DrillError } from '../../core/errors.ts';
import { LIMITS } from './model.ts';

const LINK = 0o120000;
const KIND = 0o170000;
const STORED = 0;
const DEFLATED = 8;
// One fixed moment on every clock, a DOS time being local: the same run exports to the same bytes.
const MTIME = new Date(2000, 0, 1);

function refuse(why: string, cause?: unknown): DrillError {
  return new DrillError(
    'malformed',
    `This is no bundle that can be opened: ${why}. Nothing was kept of it.`,
    {
      cause,
    },
  );
}

const megabytes = (bytes: number): string => `${Math.floor(bytes / 1024 / 1024)} MB`;

/** A name as it may be shown in a sentence. */
const shown = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** What is wrong with an entry's name, in a few words; null for a name that stays inside. */
export function nameFault(name: string): string | null {
  if (name === '' || name.length > 200) return 'has a name that is empty or too long';
  if (name.includes('\\')) return 'has a backslash in its name';
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'has an absolute name';
  if (name.split('/').includes('..')) return 'leads out of the archive by ".."';
  if (!/^[A-Za-z0-9][A-Za-z0-9._/-]*$/.test(name) || /\/\/|\/\./.test(name))
    return 'has characters in its name that no bundle uses';
  return null;
}

function entryFault(entry: Entry): string | null {
  const fault = nameFault(entry.fileName);
  if (fault) return fault;
  if (((entry.externalFileAttributes >>> 16) & KIND) === LINK) return 'is a link';
  // Compressed, nothing at all is still two bytes.
  if (entry.fileName.endsWith('/') && (entry.uncompressedSize > 0 || entry.compressedSize > 2))
    return 'is a directory with content';
  if (entry.isEncrypted()) return 'is encrypted';
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    return 'is compressed in a way that is not read here';
  if (entry.uncompressedSize > LIMITS.entryBytes)
    return `unpacks to ${megabytes(entry.uncompressedSize)}; ${megabytes(LIMITS.entryBytes)} is the limit`;
  return null;
}

async function listEntries(zip: ZipFile): Promise<Entry[]> {
  if (zip.entryCount > LIMITS.entries)
    throw refuse(`it has ${zip.entryCount} entries; ${LIMITS.entries} is the limit`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const fault = entryFault(entry);
    if (fault) throw refuse(`the entry ${shown(entry.fileName)} ${fault}`);
    // Two names that one file system takes for one are duplicates on another's disk.
    const name = entry.fileName.toLowerCase();
    if (names.has(name)) throw refuse(`the entry ${shown(entry.fileName)} is there twice`);
    names.add(name);
    bytes += entry.uncompressedSize;
    if (bytes > LIMITS.unpackedBytes)
      throw refuse(`it unpacks to more than ${megabytes(LIMITS.unpackedBytes)}`);
    if (!entry.fileName.endsWith('/')) entries.push(entry);
  }
  return entries;
}

async function unpack(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const stream = await zip.openReadStreamPromise(entry);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Buffer).length;
    // The library stops at the size that the entry declares; a second pair of eyes costs nothing.
    if (size > entry.uncompressedSize)
      throw refuse(`the entry ${shown(entry.fileName)} is longer than it says`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/**
 * Reads an archive into memory.
 *
 * @returns the files by name; directories are left out
 * @throws DrillError `malformed` with the first fault found
 */
export async function readArchive(bytes: Buffer): Promise<Map<string, Buffer>> {
  if (bytes.length > LIMITS.archiveBytes) throw refuse(`it is larger than ${megabytes(LIMITS.archiveBytes)}`);
  let zip: ZipFile | undefined;
  try {
    zip = await fromBufferPromise(bytes, {
      autoClose: false,
      lazyEntries: true,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    const files = new Map<string, Buffer>();
    for (const entry of await listEntries(zip)) files.set(entry.fileName, await unpack(zip, entry));
    return files;
  } catch (error) {
    if (error instanceof DrillError) throw error;
    throw refuse(reason(error), error);
  } finally {
    zip?.close();
  }
}

/** The library's words for the cases that people meet, in ours. */
function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const name = /^(invalid characters in fileName|absolute path|invalid relative path): ([\s\S]*)$/.exec(
    message,
  )?.[2];
  const fault = name === undefined ? null : nameFault(name);
  if (name !== undefined && fault) return `the entry ${shown(name)} ${fault}`;
  if (/end of central directory/i.test(message)) return 'it is no zip file, or only a part of one';
  if (/too many bytes|not enough bytes|size mismatch/i.test(message)) return 'an entry lies about its size';
  return 'the zip is damaged, or only a part of it is there';
}

/**
 * Packs files into a zip. The same files in the same order give the same bytes.
 *
 * @throws whatever the packer throws for a name that no archive takes
 */
export async function writeArchive(files: ReadonlyMap<string, Buffer>): Promise<Buffer> {
  const zip = new Writer();
  for (const [name, content] of files) {
    zip.addBuffer(content, name, { mtime: MTIME, mode: 0o100644, forceDosTimestamp: true });
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
