/** Turns recorded steps into the commit map. Time is order alone: a place to the right came later. */
import type { ExecutorEnd, StepRecord, TraceLine } from '#lib/drill/model.ts';
import type { BoundarySpec, CommitSpec, Lab } from '#lib/labs/contract.ts';
import { deadlyFault, verbOf } from '../step-facts.ts';
import type { Bar, CommitMapLayout, Death, Dot, OpenBar, StepBand } from './model.ts';
import { gutterOf, RIGHT } from './size.ts';
import type { MapWords } from './words.ts';

/** What a map needs to know of a lab. */
export type MapLab = Pick<Lab, 'lanes' | 'commits' | 'boundaries' | 'commands'>;

const GAP = 26;
const LETTER = 6.7;
/** Narrow maps are spread to the width of the page, but not so far that they look empty. */
const WIDE = 1130;
/** With the names of its lanes, a spread map is no wider than the card on a page of 1280 pixels. */
const PAGE = 1180;
const MOST_SPREAD = 1.7;

const widthOf = (text: string): number => text.length * LETTER;

interface Process {
  row: number;
  bar: Bar;
  role: string;
}

class MapBuilder {
  private readonly lab: MapLab;
  private readonly words: MapWords;
  private readonly locale: string;
  private x = 0;
  private readonly laneEnd: number[];
  /** Where the last words of a process row end. */
  private readonly rowEnd: number[] = [];
  private readonly rowRole: string[] = [];
  private readonly processes = new Map<number, Process>();
  private readonly bands: StepBand[] = [];
  private readonly bars: Bar[] = [];
  private readonly dots: Dot[] = [];
  private readonly deaths: Death[] = [];
  private readonly unknown: OpenBar[] = [];
  private openedAt = 0;

  constructor(lab: MapLab, words: MapWords, locale: string) {
    this.lab = lab;
    this.words = words;
    this.locale = locale;
    this.laneEnd = lab.lanes.map(() => 0);
  }

  add(step: StepRecord, number: number): void {
    const verb = step.spec.release ? verbOf(step.spec) : step.command;
    const here = step.executors.filter((end) => !end.endedBefore);
    for (const end of here) this.begin(end.pid, 'executor', verb, number);
    const left = this.x;
    const earlier = this.dots.length;
    const start = this.bands.length === 0 ? 0 : left - 10;
    const last = this.bands.at(-1);
    if (last) last.width = start - last.x;
    for (const line of step.trace) this.line(line, step, number, verb);
    this.x += GAP;
    this.endChildren(step);
    for (const end of step.executors) this.end(end, step, number, verb);
    this.x = Math.max(this.x, left + widthOf(verb) + 12);
    this.drawOutcome(step, number, earlier);
    const label = `${number} ${step.label}`;
    this.x = Math.max(this.x, start + widthOf(label) + 10);
    this.bands.push({ x: start, width: this.x - start, label });
  }

  private freeRow(role: string): number {
    const taken = new Set([...this.processes.values()].map((process) => process.row));
    const free = this.rowRole.findIndex((of, row) => of === role && !taken.has(row));
    if (free !== -1) return free;
    this.rowRole.push(role);
    this.rowEnd.push(0);
    return this.rowRole.length - 1;
  }

  private begin(pid: number, role: string, verb: string, number: number): Process {
    const known = this.processes.get(pid);
    if (known) return known;
    const row = this.freeRow(role);
    this.x = Math.max(this.x + 10, (this.rowEnd[row] ?? 0) + 14);
    const label = role === 'executor' ? verb : role;
    const bar: Bar = {
      row,
      from: this.x,
      to: this.x,
      label,
      detail: this.words.pid(pid),
      end: 'done',
      spoken: this.words.bar(number, label, pid, 'done'),
    };
    const process = { row, bar, role };
    this.bars.push(bar);
    this.processes.set(pid, process);
    return process;
  }

  private line(line: TraceLine, step: StepRecord, number: number, verb: string): void {
    const process = this.begin(line.pid, line.role, verb, number);
    if ('commit' in line) {
      const spec = this.lab.commits.find((one) => one.name === line.name && one.store === line.commit);
      const lanes = this.lanesOf(spec, line.commit);
      const label = spec ? spec.label : line.name;
      this.place(lanes, process.row);
      const spoken = this.words.commit(number, label, line.commit, line.pid);
      this.drop(lanes, { label, committed: true, row: process.row, spoken });
    } else if ('boundary' in line) {
      const fault = deadlyFault(step);
      const here = fault?.at === line.boundary && fault.hit === line.hit && fault.role === line.role;
      if (here && line.role !== 'executor') this.dieChild(process, line.pid, line.boundary);
    }
    process.bar.to = this.x;
  }

  private lanesOf(spec: CommitSpec | undefined, store: string): number[] {
    const ids = spec?.lanes ?? this.lab.lanes.filter((lane) => lane.store === store).map((lane) => lane.id);
    return ids.map((id) => this.lab.lanes.findIndex((lane) => lane.id === id)).filter((lane) => lane !== -1);
  }

  /** Goes on to the right until the words fit, and the line down to the last lane runs through nobody else's. */
  private place(lanes: number[], row: number): void {
    const crossed = [...this.rowEnd.slice(row + 1), ...this.laneEnd.slice(0, Math.max(-1, ...lanes) + 1)];
    this.x = Math.max(this.x + GAP, ...crossed.map((end) => end + 8));
  }

  private drop(lanes: number[], dot: Pick<Dot, 'label' | 'committed' | 'row' | 'spoken'>, x = this.x): void {
    lanes.forEach((lane, index) => {
      const panel = this.lab.lanes[lane]?.panel ?? 'events';
      this.dots.push({ ...dot, lane, x, panel, label: index === 0 ? dot.label : null });
      const words = index === 0 && dot.label ? widthOf(dot.label) + 8 : 8;
      this.laneEnd[lane] = Math.max(this.laneEnd[lane] ?? 0, x + words);
    });
  }

  private dieChild(process: Process, pid: number, at: string): void {
    this.x += GAP;
    process.bar.to = this.x;
    process.bar.end = 'crashed';
    this.die(process, this.words.died(at, null), this.words.childDied(process.role));
    this.processes.delete(pid);
  }

  private die(process: Process, title: string, detail: string): void {
    const { row, bar } = process;
    const x = bar.to + 6;
    this.deaths.push({ row, x, title, detail, spoken: `${bar.label}, ${bar.detail}: ${title}. ${detail}` });
    this.rowEnd[row] = x + 24 + Math.max(widthOf(title), widthOf(detail) * 0.98);
  }

  private endChildren(step: StepRecord): void {
    const own = new Set(step.executors.map((end) => end.pid));
    const held = step.executors.some((end) => end.held);
    for (const [pid, process] of this.processes) {
      if (own.has(pid) || process.role === 'executor' || held) continue;
      process.bar.to = this.x - GAP / 2;
      this.processes.delete(pid);
    }
  }

  private end(end: ExecutorEnd, step: StepRecord, number: number, verb: string): void {
    const process = this.processes.get(end.pid);
    if (!process) return;
    const { bar, row } = process;
    bar.to = this.x;
    const fault = deadlyFault(step);
    const mine = fault && fault.role === 'executor' ? fault : null;
    const dead = end.signal !== null || (mine !== null && end.code === 86);
    bar.end = dead ? 'crashed' : end.held ? 'held' : 'done';
    bar.spoken = this.words.bar(number, verb, end.pid, bar.end);
    const words = bar.from + Math.max(widthOf(bar.label), widthOf(bar.detail));
    this.rowEnd[row] = Math.max(this.rowEnd[row] ?? 0, bar.to, words);
    if (end.held && !dead) {
      bar.detail = this.words.held(end.held.at);
      this.rowEnd[row] = Math.max(this.rowEnd[row] ?? 0, bar.to + widthOf(bar.detail));
      return;
    }
    this.processes.delete(end.pid);
    if (!dead) return;
    const at = mine?.at ?? null;
    this.die(process, this.words.died(at, end.signal), this.words.callerSaw(end.code, end.signal));
    if (at !== null) this.dropNever(step.command, at, row);
  }

  /** What the crash kept from being committed: the commit under way, and those the command had still before it. */
  private dropNever(command: string, at: string, row: number): void {
    let x = this.x;
    for (const name of neverCommitted(this.lab, command, at)) {
      const spec = this.lab.commits.find((one) => one.name === name);
      const lanes = this.lanesOf(spec, spec?.store ?? '');
      const title = spec ? spec.label : name;
      const end = lanes[0] === undefined ? 0 : (this.laneEnd[lanes[0]] ?? 0) + 16;
      x = Math.max(x + 34, end);
      const spoken = this.words.neverSpoken(title, spec?.store ?? '');
      this.drop(lanes, { label: this.words.never(title), committed: false, row, spoken }, x);
    }
  }

  /** Draws what the step changed about an unknown outcome, as it was judged when the step ended. */
  private drawOutcome(step: StepRecord, number: number, earlierDots: number): void {
    const { outcome } = step;
    if (outcome?.kind === 'opened') {
      const from = this.deaths.at(-1)?.x ?? this.x;
      this.openedAt = number;
      const spoken = this.words.openSpoken(number);
      this.unknown.push({ from, to: null, label: this.words.open, spoken });
    }
    const open = this.unknown.findLast((bar) => bar.to === null);
    if (outcome?.kind !== 'closed' || !open) return;
    const { known, by, effect } = outcome;
    // Only a commit of this very step can have established it: what lies between may be the trap.
    open.to = this.dots.slice(earlierDots).findLast((dot) => dot.committed)?.x ?? this.x;
    open.label = known ? this.words.closed : this.words.claimed(by, effect);
    open.spoken = known
      ? this.words.closedSpoken(this.openedAt, number)
      : this.words.claimedSpoken(this.openedAt, number, effect);
  }

  finish(most: number): CommitMapLayout {
    const processRows = this.rowRole.map((role) => this.words.row(role));
    const lanes = this.lab.lanes.map((lane) => ({
      title: lane.title,
      panel: lane.panel,
    }));
    const wide = Math.min(most, PAGE - gutterOf({ processRows, lanes }) - RIGHT);
    const ends = [
      ...this.rowEnd,
      ...this.laneEnd,
      ...this.unknown.map((bar) => (bar.to ?? bar.from) + 8 + widthOf(bar.label)),
    ];
    const natural = Math.max(this.x, ...ends) + 16;
    const spread = Math.min(MOST_SPREAD, Math.max(1, wide / natural));
    const far = (x: number) => Math.round(x * spread);
    for (const process of this.processes.values()) process.bar.to = this.x;
    return {
      width: Math.max(wide, far(natural)),
      processRows,
      lanes,
      bands: this.bands.map((band) => ({ ...band, x: far(band.x), width: far(band.width) })),
      bars: this.bars.map((bar) => ({ ...bar, from: far(bar.from), to: far(bar.to) })),
      dots: this.dots.map((dot) => ({ ...dot, x: far(dot.x) })),
      deaths: this.deaths.map((death) => ({ ...death, x: far(death.x - 6) + 6 })),
      unknown: this.unknown.map((bar) => ({
        ...bar,
        from: far(bar.from),
        to: bar.to === null ? null : far(bar.to),
      })),
    };
  }
}

/**
 * Names of the commits that a command dying at a boundary never made, in the order of the manifest. After its own
 * boundary's commit, only those that the manifest assigns to the command: another command's are not missing.
 */
export function neverCommitted(
  lab: Pick<MapLab, 'boundaries' | 'commits'>,
  command: string,
  at: string,
): string[] {
  const index = lab.boundaries.findIndex((boundary) => boundary.name === at);
  const crash: BoundarySpec | undefined = lab.boundaries[index];
  if (!crash) return [];
  const names: string[] = crash.side === 'before' && crash.commit ? [crash.commit] : [];
  for (const { commit, side, role, onlyWithout } of lab.boundaries.slice(index + 1)) {
    if (!commit || side !== 'before' || role !== crash.role || onlyWithout || names.includes(commit))
      continue;
    const spec = lab.commits.find((one) => one.name === commit);
    if (spec?.commands?.includes(command)) names.push(commit);
  }
  return names;
}

/**
 * The map of a run: every step in its order.
 *
 * @param wide what a narrow map is spread to; 0 for one as narrow as its words allow
 */
export function buildMap(
  lab: MapLab,
  steps: readonly StepRecord[],
  words: MapWords,
  locale: string,
  wide = WIDE,
): CommitMapLayout {
  const builder = new MapBuilder(lab, words, locale);
  steps.forEach((step, index) => {
    builder.add(step, index + 1);
  });
  return builder.finish(wide);
}
