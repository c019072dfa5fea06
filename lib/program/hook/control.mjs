/**
 * The control directory of docs/protocol.md, for the hook: a boundary is one line in the trace, then perhaps a fault.
 * Everything of node:fs is taken before the hook changes it.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

const CRASH_EXIT = 86;
const POLL_MS = 2;
const OWNER_EVERY_MS = 250;
/** More names than that count by thread, no longer by process. */
const SLOTS = 8192;
const HITS = 'recovery-drills.hits';
const LEAVE = 'recovery-drills.leave';
const ACTIONS = new Set(['exit', 'kill', 'abort', 'hold']);

const dir = process.env.DRILL_CONTROL;
const owner = Number(process.env.DRILL_OWNER || 0);
const role = process.env.DRILL_ROLE || 'executor';
const { pid } = process;
const tail = `,"role":${JSON.stringify(role)},"pid":${pid}}\n`;
const sentinel = new Int32Array(new SharedArrayBuffer(4));

function readFaults() {
  const file = `${dir}/faults.json`;
  const all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  return all
    .map((fault, index) => ({ hit: 1, ...fault, index }))
    .filter((fault) => ACTIONS.has(fault.action) && (fault.role === undefined || fault.role === role));
}

const faults = readFaults();

/** One table of counters for all threads of the process: a 64-bit hash of the name, and how often it was passed. */
function sharedHits() {
  const kept = getEnvironmentData(HITS);
  if (kept) return kept;
  const made = new SharedArrayBuffer(SLOTS * 12);
  setEnvironmentData(HITS, made);
  return made;
}

const table = sharedHits();
const hashes = new BigInt64Array(table, 0, SLOTS);
const counts = new Int32Array(table, SLOTS * 8, SLOTS);

function hash(text) {
  let value = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return BigInt.asIntN(64, value) || 1n;
}

/** The slot of a name's counter; -1 where the table is full. */
function slotOf(name) {
  const wanted = hash(name);
  const start = Number(BigInt.asUintN(32, wanted)) % SLOTS;
  for (let i = 0; i < SLOTS; i += 1) {
    const slot = (start + i) % SLOTS;
    const found = Atomics.compareExchange(hashes, slot, 0n, wanted);
    if (found === 0n || found === wanted) return slot;
  }
  return -1;
}

let file;
let silent = false;

/** One write at the end of the file: what a process wrote survives its death, and lines of several do not mix. */
function trace(line) {
  try {
    file ??= openSync(`${dir}/trace.ndjson`, 'a');
    writeSync(file, line);
  } catch (error) {
    if (!silent) writeSync(2, `recovery-drills: the trace cannot be written: ${error.message}\n`);
    silent = true;
  }
}

/** The state and the group of a process; undefined where it is gone or /proc does not show it. */
function stat(of) {
  try {
    const text = readFileSync(`/proc/${of}/stat`, 'latin1');
    const [state, , group] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state, group: Number(group) };
  } catch {
    return undefined;
  }
}

/** False once the process that owns the step is gone; a zombie still answers to signal 0. */
function ownerLives() {
  if (!owner) return true;
  try {
    process.kill(owner, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  const seen = stat(owner);
  return seen === undefined || !/[ZX]/.test(seen.state);
}

/** Blocks this thread, its event loop included. */
function blockUntil(done) {
  for (let waited = 0; !done(); waited += POLL_MS) {
    Atomics.wait(sentinel, 0, 0, POLL_MS);
    if (waited % OWNER_EVERY_MS === 0 && !ownerLives()) process.kill(pid, 'SIGKILL');
  }
}

function kill() {
  if (stat('self')?.group === pid) process.kill(-pid, 'SIGKILL');
  process.kill(pid, 'SIGKILL');
}

/** A worker can end only itself: there the main thread is asked to leave, and the worker goes no further. */
function exit() {
  if (isMainThread) process.reallyExit(CRASH_EXIT);
  new BroadcastChannel(LEAVE).postMessage(0);
}

if (isMainThread && faults.some(({ action }) => action === 'exit')) {
  const channel = new BroadcastChannel(LEAVE);
  channel.onmessage = () => process.reallyExit(CRASH_EXIT);
  channel.unref();
}

/** A fault fires once a step, in whichever process comes first. */
function isFirst(fault) {
  try {
    closeSync(openSync(`${dir}/fired-${fault.index}`, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function act({ action }, name, hit) {
  if (action === 'hold') {
    trace(`{"held":${JSON.stringify(name)},"hit":${hit}${tail}`);
    const release = `${dir}/release-${pid}-${encodeURIComponent(name)}-${hit}`;
    blockUntil(() => existsSync(release));
    return;
  }
  if (action === 'exit') exit();
  else if (action === 'kill') kill();
  else if (isMainThread) process.abort();
  else process.kill(pid, 'SIGABRT');
  // Reached by a worker only.
  blockUntil(() => false);
}

/**
 * What is known of a boundary before it is reached.
 *
 * @param {string} name
 */
export function point(name) {
  return {
    name,
    head: `{"boundary":${JSON.stringify(name)},"hit":`,
    slot: slotOf(name),
    own: 0,
    faults: faults.filter((fault) => fault.at === name),
  };
}

/**
 * Passes a boundary: one line in the trace, then a fault that is armed for it.
 *
 * @param {ReturnType<typeof point> | undefined} at nothing happens where it is undefined
 */
export function pass(at) {
  if (at === undefined) return;
  const hit = at.slot === -1 ? ++at.own : Atomics.add(counts, at.slot, 1) + 1;
  trace(at.head + hit + tail);
  for (const fault of at.faults) {
    if (fault.hit === hit && isFirst(fault)) act(fault, at.name, hit);
  }
}
