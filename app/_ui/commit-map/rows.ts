/** A wide map in rows, as music is printed: cut where a step begins, so that paper and a projector keep its type. */
import type { Bar, CommitMapLayout, OpenBar, StepBand } from './model.ts';

const LETTER = 6.9;
/** Beside a cut inside a step: the dot behind it keeps its place. */
const BESIDE = 14;
const END = 12;
/** A row that ends with a step may be as short as this; a shorter one takes some of the next step along. */
const WELL_FILLED = 0.5;

const words = (text: string | null): number => (text?.length ?? 0) * LETTER;

interface Window {
  from: number;
  to: number;
}

/** A bar that goes on from the row before, or into the next, is drawn up to the cut; its words stand once. */
function clippedBar(bar: Bar, { from, to }: Window): Bar | null {
  const starts = bar.from >= from && bar.from < to;
  if (!starts && (bar.to <= from || bar.from >= to)) return null;
  const ends = bar.to <= to;
  return {
    ...bar,
    from: Math.max(bar.from, from) - from,
    to: Math.min(bar.to, to) - from,
    label: starts ? bar.label : '',
    detail: starts ? bar.detail : '',
    end: ends ? bar.end : 'done',
  };
}

function clippedOpen(bar: OpenBar, { from, to }: Window, last: boolean): OpenBar | null {
  if (bar.from >= to || (bar.to !== null && bar.to <= from)) return null;
  const ends = bar.to !== null && bar.to <= to;
  return {
    ...bar,
    from: Math.max(bar.from, from) - from,
    to: ends && bar.to !== null ? bar.to - from : null,
    label: ends || (bar.to === null && (last || bar.from >= from)) ? bar.label : '',
  };
}

function extent(part: Omit<CommitMapLayout, 'width'>): number {
  return (
    Math.max(
      0,
      ...part.bars.map((bar) => Math.max(bar.to, bar.from + Math.max(words(bar.label), words(bar.detail)))),
      ...part.dots.map((dot) => dot.x + 11 + words(dot.label)),
      ...part.deaths.map((death) => death.x + 24 + Math.max(words(death.title), words(death.detail))),
      ...part.bands.map((band) => band.x + 8 + words(band.label)),
      ...part.unknown.map((bar) => (bar.to === null ? bar.from + 6 : bar.to + 8) + words(bar.label)),
    ) + END
  );
}

/** The step that a cut goes through is named again behind it. */
function bandsIn(layout: CommitMapLayout, { from, to }: Window): StepBand[] {
  const under = layout.bands.findLast((band) => band.x < from);
  const starts = layout.bands.filter((band) => band.x >= from && band.x < to);
  const cut = under && !starts.some((band) => band.x < from + BESIDE) ? [{ ...under, x: from }] : [];
  return [...cut, ...starts].map((band) => ({ ...band, x: band.x - from }));
}

function part(layout: CommitMapLayout, window: Window): CommitMapLayout {
  const { from, to } = window;
  const inside = (x: number) => x >= from && x < to;
  const bars = layout.bars.map((bar) => clippedBar(bar, window)).filter((bar) => bar !== null);
  const dots = layout.dots.filter((dot) => inside(dot.x));
  const deaths = layout.deaths.filter((death) => inside(death.x));
  const used = new Set([...bars, ...dots, ...deaths].map((mark) => mark.row));
  const rows = layout.processRows.map((_, row) => row).filter((row) => used.has(row));
  const written = new Set(dots.map((dot) => dot.lane));
  const lanes = layout.lanes.map((_, lane) => lane).filter((lane) => written.has(lane));
  const moved = <T extends { x: number; row: number }>(mark: T): T => ({
    ...mark,
    x: mark.x - from,
    row: rows.indexOf(mark.row),
  });
  const cut = {
    processRows: rows.map((row) => layout.processRows[row] ?? ''),
    lanes: layout.lanes.filter((_, lane) => written.has(lane)),
    bands: bandsIn(layout, window),
    bars: bars.map((bar) => ({ ...bar, row: rows.indexOf(bar.row) })),
    dots: dots.map((dot) => moved({ ...dot, lane: lanes.indexOf(dot.lane) })),
    deaths: deaths.map(moved),
    unknown: layout.unknown
      .map((bar) => clippedOpen(bar, window, to === Number.POSITIVE_INFINITY))
      .filter((bar) => bar !== null),
  };
  return { ...cut, width: extent(cut) };
}

/** Where a map may be cut: at the beginning of a step; where one step alone is too wide, before one of its commits. */
function cutsAfter(layout: CommitMapLayout, from: number, within: boolean): number[] {
  const places = within ? layout.dots.map((dot) => dot.x - BESIDE) : layout.bands.map((band) => band.x);
  return [...new Set(places)].filter((x) => x > from + BESIDE).sort((a, b) => b - a);
}

/**
 * Cuts a map into rows.
 *
 * @param most widest drawing of a row; one with nowhere to be cut is wider
 * @returns the rows, each of them a map with its own left edge at 0; all together the whole map
 */
export function mapRows(layout: CommitMapLayout, most: number): CommitMapLayout[] {
  const rows: CommitMapLayout[] = [];
  let from = 0;
  for (;;) {
    const rest = part(layout, { from, to: Number.POSITIVE_INFINITY });
    const width = (to: number) => part(layout, { from, to }).width;
    const wholeSteps = cutsAfter(layout, from, false).filter((to) => width(to) >= most * WELL_FILLED);
    const cuts = [...wholeSteps, ...cutsAfter(layout, from, true), ...cutsAfter(layout, from, false)];
    // Where not even the next piece fits, it stands alone, wider than asked for.
    const nearest = cuts.length > 0 ? Math.min(...cuts) : undefined;
    const to = rest.width <= most ? undefined : (cuts.find((place) => width(place) <= most) ?? nearest);
    if (to === undefined) return [...rows, rest];
    rows.push(part(layout, { from, to }));
    from = to;
  }
}

/** The latest steps of a map, as many as fit a row; of one too wide for that its end, where it died or was done. */
export function latestRow(layout: CommitMapLayout, most: number): CommitMapLayout {
  const starts = layout.bands.map((band) => band.x);
  const parts = [0, ...starts].map((from) => part(layout, { from, to: Number.POSITIVE_INFINITY }));
  return parts.find((one) => one.width <= most) ?? mapRows(layout, most).at(-1) ?? layout;
}
