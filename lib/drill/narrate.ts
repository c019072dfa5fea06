/** One sentence or two about a step, made from what was recorded of it. */
import type { BoundarySpec, Lab } from '../labs/contract.ts';
import type { ExecutorEnd, StepRecord } from './model.ts';

export interface Narration {
  /** The step in a few words: "Run, the process died". */
  name: string;
  sentence: string;
}

type NarratedLab = Pick<Lab, 'boundaries' | 'commits' | 'commands' | 'damages'>;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function list(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

const deadly = (step: StepRecord) => step.fault.fired.find(({ action }) => action !== 'hold') ?? null;

const killed = (step: StepRecord): ExecutorEnd | null =>
  step.executors.find(({ signal, timedOut }) => signal !== null && !timedOut) ?? null;

const isHeld = (end: ExecutorEnd): boolean => end.held !== null && end.code === null && end.signal === null;

const died = (step: StepRecord): boolean => deadly(step) !== null || killed(step) !== null;

/** What a step asks for, without what became of it. */
function subject(step: StepRecord): string {
  const { spec } = step;
  if (spec.damage) return `damage: ${spec.damage.replaceAll('-', ' ')}`;
  if (spec.release) return `${spec.action === 'kill' ? 'kill' : 'release'} ${spec.release}`;
  const count = spec.race?.executors;
  const command = step.command.replaceAll('-', ' ');
  return count ? `${command}, ${count} at once` : command;
}

function nameOf(step: StepRecord): string {
  const what = capital(subject(step));
  const fault = deadly(step);
  if (fault && fault.role !== 'executor') return `${what}, the ${fault.role} died`;
  if (died(step)) return `${what}, the process died`;
  if (step.executors.some(isHeld)) return `${what}, held`;
  if (step.state === 'interrupted') return `${what}, interrupted`;
  return step.state === 'failed' ? `${what}, could not run` : what;
}

function committed(lab: NarratedLab, step: StepRecord): string[] {
  const labels = step.trace.flatMap((line) =>
    'commit' in line
      ? [
          lab.commits.find(({ name, store }) => name === line.name && store === line.commit)?.label ??
            line.name,
        ]
      : [],
  );
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].map(([label, count]) => (count === 1 ? `“${label}”` : `“${label}” ${count} times`));
}

const exitOf = ({ code, signal }: Pick<ExecutorEnd, 'code' | 'signal'>): string =>
  signal === null ? `exit ${code ?? '?'}` : signal;

/** What the caller of a process that died had in its hands. */
function callerGot(step: StepRecord): string {
  const end = step.executors.find((one) => one.code !== null || one.signal !== null);
  if (!end) return '';
  if (end.reply) return ` The caller got ${exitOf(end)} and a reply.`;
  return ` The caller got ${exitOf(end)} and no reply.`;
}

function ends(executors: readonly ExecutorEnd[]): string {
  const counts = new Map<string, number>();
  for (const end of executors) {
    const status = typeof end.reply?.status === 'string' ? `“${end.reply.status}”` : exitOf(end);
    const word = isHeld(end) ? 'is held' : `ended with ${status}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return list([...counts].map(([word, count]) => `${count} ${word}`));
}

/** Why the commit that a boundary stands beside is there, or is not. */
function besideCommit(lab: NarratedLab, boundary: BoundarySpec | undefined): string {
  if (!boundary?.commit) return '';
  const label = lab.commits.find(({ name }) => name === boundary.commit)?.label ?? boundary.commit;
  return boundary.side === 'before' ? ` before it committed “${label}”` : ` after it committed “${label}”`;
}

function theDeath(lab: NarratedLab, step: StepRecord): string {
  const fault = deadly(step);
  const made = committed(lab, step);
  const before = made.length > 0 ? `committed ${list(made)}. ` : 'committed nothing. ';
  if (!fault) {
    const signal = killed(step)?.signal ?? 'a signal';
    return `The process ${before}Then ${signal} ended it.${callerGot(step)}`;
  }
  const boundary = lab.boundaries.find(({ name, role }) => name === fault.at && role === fault.role);
  const who = fault.role === 'executor' ? 'the process' : `the ${fault.role}`;
  const where = `at ${fault.at},${besideCommit(lab, boundary)}`.replace(/,$/, '');
  if (fault.role !== 'executor')
    return `This step ${before}${capital(who)} died ${where}; its parent went on.${callerGot(step)}`;
  return `${capital(who)} ${before}Then it died ${where}.${callerGot(step)}`;
}

/** As much as one who decides could know: that it ended, and what came back. */
function theEnd(step: StepRecord): string {
  const fault = deadly(step);
  const who = fault && fault.role !== 'executor' ? `The ${fault.role}` : `The process of “${step.command}”`;
  return `${who} died.${callerGot(step)} That does not say what it had committed.`;
}

function ordinary(lab: NarratedLab, step: StepRecord, hidden: boolean): string {
  const end = step.executors.find((one) => !one.endedBefore) ?? step.executors[0];
  if (!end) return `${capital(subject(step))}.`;
  const kind = lab.commands.find(({ name }) => name === step.command)?.kind;
  const actor = kind === 'other-actor' ? 'Another actor' : kind === 'recover' ? 'Recovery' : 'The process';
  const made = committed(lab, step);
  const did = hidden ? 'ended' : made.length > 0 ? `committed ${list(made)}` : 'committed nothing';
  if (isHeld(end)) return `${actor} ${hidden ? 'is at work' : did} and waits at ${end.held?.at ?? '?'}.`;
  const status = end.reply?.status;
  const reply = typeof status === 'string' ? ` and answered “${status}”` : end.reply ? ' and answered' : '';
  const code = end.code === 0 ? '' : ` (${exitOf(end)})`;
  return `${actor} ${did}${reply}${code}.`;
}

function sentenceOf(lab: NarratedLab, step: StepRecord, hidden: boolean): string {
  if (step.state === 'interrupted')
    return 'The dashboard itself ended during this step; what it left is shown as it was found.';
  if (step.state === 'failed') return `This step could not be carried out. ${step.error ?? ''}`.trim();
  const { spec } = step;
  if (spec.damage) {
    const summary = lab.damages.find(({ name }) => name === spec.damage)?.summary ?? spec.damage;
    return `From outside, no command of this lab: ${summary}`;
  }
  if (died(step)) return hidden ? theEnd(step) : theDeath(lab, step);
  if (spec.release && step.executors.length > 0) {
    const made = hidden ? [] : committed(lab, step);
    const then = made.length > 0 ? ` It committed ${list(made)}.` : '';
    return `What was held since “${spec.release}” goes on: ${ends(step.executors)}.${then}`;
  }
  if (spec.race) {
    const start = `${spec.race.executors} processes started together at ${spec.race.at}`;
    return hidden ? `${start}.` : `${start}: ${ends(step.executors)}.`;
  }
  return ordinary(lab, step, hidden);
}

/**
 * What a step did, in words.
 *
 * @param hidden a question about it is open: only what the one who decides could know is told, no commit and no
 *   boundary
 */
export function narrate(lab: NarratedLab, step: StepRecord, hidden = false): Narration {
  return { name: nameOf(step), sentence: sentenceOf(lab, step, hidden) };
}
