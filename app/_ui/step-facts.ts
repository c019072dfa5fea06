/** What became of a step, as separate facts: the page's chips, sentences and marks all come from here. */
import type { Fault } from '#lib/boundary/boundary.ts';
import type { Json } from '#lib/core/json.ts';
import type { ExecutorEnd, StepRecord, StepSpec } from '#lib/drill/model.ts';

export const CRASH_EXIT = 86;

/** The fault that ended a process of this step, if one did; a hold ends nothing. */
export function deadlyFault(step: StepRecord): Fault | null {
  return step.fault.fired.find((fault) => fault.action !== 'hold') ?? null;
}

/** A process of this step died: by an armed fault, by a signal, or by a release that killed it. */
export function crashed(step: StepRecord): boolean {
  return deadlyFault(step) !== null || step.executors.some((one) => one.signal !== null);
}

/** True while the executor itself may be held: one that has ended can have left a child that is. */
export const isHeld = (end: ExecutorEnd): boolean =>
  end.held !== null && end.signal === null && end.code === null && !end.endedBefore;

/** How one executor ended, as short as a chip: `86`, `SIGKILL`, `held`. */
export function endWord(end: ExecutorEnd): string {
  if (end.notStarted !== undefined) return 'not started';
  if (end.signal !== null) return end.signal;
  if (end.held) return 'held';
  return end.endedBefore ? 'ended before' : String(end.code ?? '?');
}

export type Tone = 'ok' | 'crash' | 'unknown' | 'neutral';

/** What an end's colour says; the word beside it says it again. */
export function endTone(end: ExecutorEnd): Tone {
  if (end.notStarted !== undefined || end.timedOut || end.signal !== null || end.code === CRASH_EXIT)
    return 'crash';
  if (end.held) return 'unknown';
  if (end.code === 0) return 'ok';
  return end.code === 2 ? 'unknown' : 'neutral';
}

/** Ends of a step, equal ones counted together, in the order of their first. */
export function endsOf(step: StepRecord): { word: string; tone: Tone; count: number }[] {
  const found = new Map<string, { word: string; tone: Tone; count: number }>();
  for (const end of step.executors) {
    const word = endWord(end);
    const known = found.get(word);
    if (known) known.count += 1;
    else found.set(word, { word, tone: endTone(end), count: 1 });
  }
  return [...found.values()];
}

/** The reply's `status` word, which every reply that concludes something has. */
export function statusWord(end: ExecutorEnd | undefined): string | null {
  const status = end?.reply?.status;
  return typeof status === 'string' ? status : null;
}

/** What a step does, in one word or two: its command, the damage, the step that it releases. */
export function verbOf(spec: StepSpec): string {
  if (spec.command) return spec.command;
  if (spec.damage) return spec.damage;
  return spec.action === 'kill' ? `kill ${spec.release}` : `release ${spec.release}`;
}

/** A value as the page prints it: words bare, everything else as JSON. */
export function show(value: Json | undefined): string {
  if (value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A digest or another long word by its two ends; the whole of it belongs in the title. */
export function shorten(text: string): string {
  if (/^[0-9a-f]{24,}$/i.test(text)) return `${text.slice(0, 4)}…${text.slice(-4)}`;
  return text.length > 96 ? `${text.slice(0, 88)}…` : text;
}
