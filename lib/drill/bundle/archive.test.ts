import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { ZipFile } from 'yazl';
import { DrillError } from '../../core/errors.ts';
import { nameFault, readArchive, writeArchive } from './archive.ts';
import { LIMITS } from './model.ts';

interface Planned {
  name: string;
  content?: Buffer;
  mode?: number;
  compress?: boolean;
}

async function zipOf(entries: readonly Planned[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, content, mode, compress } of entries) {
    zip.addBuffer(content ?? Buffer.from('x'), name, { mode: mode ?? 0o100644, compress: compress ?? true });
  }
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** What no packer writes: every place of a name in the file, changed to another of the same length. */
function rename(zip: Buffer, from: string, to: string): Buffer {
  assert.equal(from.length, to.length);
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

const CENTRAL = 0x02014b50;

/** Changes the central directory's record of the first entry. */
function patchCentral(zip: Buffer, change: (record: Buffer) => void): Buffer {
  const copy = Buffer.from(zip);
  const at = copy.indexOf(Buffer.from([0x50, 0x4b, 0x01, 0x02]));
  assert.equal(copy.readUInt32LE(at), CENTRAL);
  change(copy.subarray(at));
  return copy;
}

async function refused(zip: Buffer, sentence: RegExp): Promise<void> {
  await assert.rejects(readArchive(zip), (error: unknown) => {
    assert.ok(error instanceof DrillError, String(error));
    assert.equal(error.code, 'malformed');
    assert.equal(error.definite, true);
    assert.match(error.message, sentence);
    assert.ok(error.message.length < 400, 'one sentence, whatever the name');
    assert.doesNotMatch(error.message, /\n/);
    return true;
  });
}

test('what is packed is unpacked, and the same files give the same bytes', async () => {
  const files = new Map([
    ['manifest.json', Buffer.from('{}')],
    ['databases/raw/1-init/lab.sqlite-wal', Buffer.alloc(70_000, 7)],
  ]);
  const zip = await writeArchive(files);
  assert.deepEqual(await readArchive(zip), files);
  assert.deepEqual(await writeArchive(files), zip);
});

test('an entry that leads out of the archive is refused', async () => {
  const zip = rename(await zipOf([{ name: 'xx/xx/evil.txt' }]), 'xx/xx/evil.txt', '../../evil.txt');
  await refused(zip, /"\.\.\/\.\.\/evil\.txt" leads out of the archive/);
  const inside = rename(
    await zipOf([{ name: 'databases/xx/evil' }]),
    'databases/xx/evil',
    'databases/../evil',
  );
  await refused(inside, /leads out of the archive/);
});

test('an absolute name is refused, of either family', async () => {
  await refused(
    rename(await zipOf([{ name: 'xetc/cron' }]), 'xetc/cron', '/etc/cron'),
    /has an absolute name/,
  );
  await refused(rename(await zipOf([{ name: 'cx/cron' }]), 'cx/cron', 'c:/cron'), /has an absolute name/);
  await refused(rename(await zipOf([{ name: 'aaxcron' }]), 'aaxcron', 'aa\\cron'), /has a backslash/);
});

test('a link is refused', async () => {
  const zip = await zipOf([{ name: 'journal.json', content: Buffer.from('/etc/passwd'), mode: 0o120777 }]);
  await refused(zip, /"journal\.json" is a link/);
});

test('a directory with content is refused, and an empty one is left out', async () => {
  const planned = [{ name: 'zzzx', content: Buffer.from('content') }];
  await refused(rename(await zipOf(planned), 'zzzx', 'zzz/'), /"zzz\/" is a directory with content/);
  const empty = await zipOf([{ name: 'zzzx', content: Buffer.alloc(0) }, { name: 'journal.json' }]);
  assert.deepEqual([...(await readArchive(rename(empty, 'zzzx', 'zzz/'))).keys()], ['journal.json']);
});

test('a name that is there twice is refused, and one that only differs in case', async () => {
  const twice = rename(await zipOf([{ name: 'aaaa' }, { name: 'bbbb' }]), 'bbbb', 'aaaa');
  await refused(twice, /"aaaa" is there twice/);
  await refused(await zipOf([{ name: 'aaaa' }, { name: 'AAAA' }]), /is there twice/);
});

test('ten thousand entries are refused before one is looked at', async () => {
  const zip = await zipOf(
    Array.from({ length: 10_000 }, (_, index) => ({ name: `f${index}`, compress: false })),
  );
  await refused(zip, /10000 entries; 2000 is the limit/);
});

/** 4 GB less a little, packed into 4 MB: one compressed megabyte of zeros, four thousand times over. */
function bomb(): { packed: Buffer; size: number } {
  const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
  const end = deflateRawSync(Buffer.alloc(0));
  const times = 4000;
  return {
    packed: Buffer.concat([...Array.from({ length: times }, () => megabyte), end]),
    size: times * 1024 * 1024,
  };
}

test('4 GB from 4 MB is refused from its own account of itself', async () => {
  const { packed, size } = bomb();
  assert.ok(packed.length < 5 * 1024 * 1024);
  const zip = patchCentral(
    await zipOf([{ name: 'journal.json', content: packed, compress: false }]),
    (record) => {
      record.writeUInt16LE(8, 10);
      record.writeUInt32LE(size, 24);
    },
  );
  await refused(zip, /"journal\.json" unpacks to 4000 MB; 32 MB is the limit/);
});

test('4 GB from 4 MB that says it is small is stopped at the size it says', async () => {
  const { packed } = bomb();
  const zip = patchCentral(
    await zipOf([{ name: 'journal.json', content: packed, compress: false }]),
    (record) => {
      record.writeUInt16LE(8, 10);
      record.writeUInt32LE(1000, 24);
    },
  );
  const before = process.memoryUsage.rss();
  await refused(zip, /lies about its size|longer than it says/);
  assert.ok(process.memoryUsage.rss() - before < 256 * 1024 * 1024, 'the rest was never unpacked');
});

test('many entries that are each allowed are refused where they are too much together', async () => {
  const content = Buffer.alloc(20 * 1024 * 1024);
  const names = Array.from({ length: 7 }, (_, index) => ({ name: `f${index}`, content }));
  await refused(await zipOf(names), /unpacks to more than 128 MB/);
});

test('half a file is refused, wherever it was cut', async () => {
  const zip = await zipOf([
    { name: 'journal.json', content: Buffer.from('{"a":1}'.repeat(500)) },
    { name: 'b' },
  ]);
  for (const part of [0, 1, 20, 0.25, 0.5, 0.9, 0.99].map((n) => (n < 1 ? Math.floor(zip.length * n) : n))) {
    await refused(zip.subarray(0, part), /no zip file, or only a part|damaged, or only a part/);
  }
  const damaged = Buffer.from(zip);
  damaged.fill(0xff, 40, 80);
  await refused(damaged, /damaged|lies about its size/);
});

test('what is too large to be looked at is refused', async () => {
  await refused(Buffer.alloc(LIMITS.archiveBytes + 1), /larger than 64 MB/);
});

test('an encrypted entry and an unknown compression are refused', async () => {
  const zip = await zipOf([{ name: 'journal.json' }]);
  await refused(
    patchCentral(zip, (record) => record.writeUInt16LE(record.readUInt16LE(8) | 1, 8)),
    /is encrypted|lies about its size/,
  );
  await refused(
    patchCentral(zip, (record) => record.writeUInt16LE(12, 10)),
    /compressed in a way that is not read here|lies about its size/,
  );
});

test('a name is told by what is wrong with it', () => {
  for (const name of ['manifest.json', 'databases/raw/3-crashed/lab.sqlite-wal'])
    assert.equal(nameFault(name), null);
  for (const name of ['', '.hidden', 'a//b', 'a/.b', 'a b', 'a\u0000b', 'ä', 'x'.repeat(201), '~/x', '-rf'])
    assert.notEqual(nameFault(name), null, JSON.stringify(name));
});
