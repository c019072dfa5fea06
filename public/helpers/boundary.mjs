// Marks a boundary for Recovery Drills: import { boundary } from './boundary.mjs'; boundary('after-charge');
// Without DRILL_CONTROL it does nothing. Protocol: docs/protocol.md. Node 18 or newer on Linux, no dependency.
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';

const { DRILL_CONTROL: dir, DRILL_OWNER: owner, DRILL_ROLE: role = 'executor' } = process.env;
const { pid } = process;
const hits = new Map();
const ACTION = /^(exit|kill|abort|hold)$/;
const faults = dir && existsSync(`${dir}/faults.json`) ? JSON.parse(readFileSync(`${dir}/faults.json`)) : [];
const trace = (line) => appendFileSync(`${dir}/trace.ndjson`, `${JSON.stringify({ ...line, role, pid })}\n`);
const stat = (of) => /.*\) (.) \d+ (\d+)/s.exec(readFileSync(`/proc/${of}/stat`, 'latin1')); // 1 state, 2 group
const ownerLives = () => !owner || (existsSync(`/proc/${owner}`) && !/[ZX]/.test(stat(owner)[1]));

function act(action, name, hit) {
  if (action === 'exit') process.reallyExit(86);
  if (action === 'kill') process.kill(stat(pid)[2] === `${pid}` ? -pid : pid, 'SIGKILL'); // its group if it leads it
  if (action === 'abort') process.abort();
  trace({ held: name, hit });
  for (let turn = 1; !existsSync(`${dir}/release-${pid}-${encodeURIComponent(name)}-${hit}`); turn += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // blocks the event loop too
    if (turn % 50 === 0 && !ownerLives()) process.kill(pid, 'SIGKILL');
  }
}

export function boundary(name) {
  if (!dir) return;
  hits.set(name, (hits.get(name) ?? 0) + 1);
  trace({ boundary: name, hit: hits.get(name) });
  faults.forEach(({ at, hit = 1, role: by = role, action }, index) => {
    if (at !== name || hit !== hits.get(name) || by !== role || !ACTION.test(action)) return;
    try {
      closeSync(openSync(`${dir}/fired-${index}`, 'wx')); // a fault fires once a step
    } catch {
      return;
    }
    act(action, name, hit);
  });
}
