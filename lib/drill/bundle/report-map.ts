/**
 * The commit map of a report: time runs down, a column a lane, so that a long case breaks over printed pages as a
 * text does. Commits are dots on their lanes, a death is where the process line ends.
 */
import type { Lab, LaneSpec } from '../../labs/contract.ts';
import { endWord } from '../checks.ts';
import type { StepRecord } from '../model.ts';
import { escapeHtml } from './escape.ts';

const ROW = 24;
const TOP = 48;
const PROCESS_X = 190;
const FIRST_LANE_X = 270;
const LANE_STEP = 104;
const WORDS = 250;

interface Mark {
  y: number;
  svg: string;
}

const text = (x: number, y: number, words: string, style: string): string =>
  `<text x="${x}" y="${y}" class="${style}">${escapeHtml(words)}</text>`;

function laneX(index: number): number {
  return FIRST_LANE_X + index * LANE_STEP;
}

/** A lane's title over its line: two lines where it says whose store it is. */
function heading(x: number, title: string): string {
  const at = title.search(/: | (?=\S+$)/);
  const lines =
    title.length > 12 && at !== -1 ? [title.slice(0, at + 1).trim(), title.slice(at + 1).trim()] : [title];
  const spans = lines.map(
    (line, index) => `<tspan x="${x}" dy="${index === 0 ? 0 : 15}">${escapeHtml(line)}</tspan>`,
  );
  return `<text x="${x}" y="14" class="head" text-anchor="middle">${spans.join('')}</text>`;
}

function lanesOfCommit(lab: Lab, name: string, store: string): number[] {
  const spec = lab.commits.find((commit) => commit.name === name && commit.store === store);
  const ids = spec?.lanes ?? lab.lanes.filter((lane) => lane.store === store).map((lane) => lane.id);
  return ids.map((id) => lab.lanes.findIndex((lane) => lane.id === id)).filter((index) => index !== -1);
}

function commitMark(lab: Lab, line: { commit: string; name: string; role: string }, y: number): string {
  const lanes = lanesOfCommit(lab, line.name, line.commit);
  const spec = lab.commits.find((commit) => commit.name === line.name && commit.store === line.commit);
  const role = line.role === 'executor' ? '' : ` (${line.role})`;
  const far = Math.max(PROCESS_X, ...lanes.map(laneX));
  const dots = lanes.map((index) => {
    const panel = lab.lanes[index]?.panel ?? 'events';
    return `<circle cx="${laneX(index)}" cy="${y}" r="6" class="dot ${panel}"/>`;
  });
  const words = text(laneX(lab.lanes.length) - 40, y + 4, `${spec?.label ?? line.name}${role}`, 'soft');
  return `<line x1="${PROCESS_X}" y1="${y}" x2="${far}" y2="${y}" class="reach"/>${dots.join('')}${words}`;
}

const SURVIVABLE = /^\d+$/;

function endMark(record: StepRecord, y: number): string {
  const words = [...new Set(record.executors.map(endWord))];
  const fired = record.fault.fired[0];
  const dead = record.executors.some((end) => end.signal !== null || end.code === 86);
  const held = words.includes('held');
  const place = fired ? ` at ${fired.at}` : '';
  if (dead) {
    const bolt = `<path d="M${PROCESS_X - 7} ${y - 7}l14 14m0 -14l-14 14" class="death"/>`;
    return bolt + text(PROCESS_X + 14, y + 4, `died: ${words.join(', ')}${place}`, 'crash');
  }
  if (held) {
    const bars = `<path d="M${PROCESS_X - 4} ${y - 6}v12m8 -12v12" class="held"/>`;
    return bars + text(PROCESS_X + 14, y + 4, `held${place}`, 'soft');
  }
  const shown = words.map((word) => (SURVIVABLE.test(word) ? `exit ${word}` : word)).join(', ');
  const child = fired && fired.role !== 'executor' ? `; the ${fired.role} died${place}` : '';
  return text(PROCESS_X + 14, y + 4, `${shown || 'nothing started'}${child}`, child ? 'crash' : 'soft');
}

/** Marks of one step and the row after them. */
function stepMarks(lab: Lab, record: StepRecord, seq: number, top: number): { marks: Mark[]; next: number } {
  const commits = record.trace.filter((line) => 'commit' in line);
  let y = top;
  const marks: Mark[] = [{ y, svg: text(0, y + 4, `${seq} ${record.label}`, 'step') }];
  for (const line of commits) {
    marks.push({ y, svg: commitMark(lab, line, y) });
    y += ROW;
  }
  marks.push({ y, svg: endMark(record, y) });
  const line = `<line x1="${PROCESS_X}" y1="${top - 8}" x2="${PROCESS_X}" y2="${y}" class="process"/>`;
  marks.unshift({ y: top, svg: line });
  return { marks, next: y + ROW + 10 };
}

function spoken(records: readonly StepRecord[]): string {
  return records
    .map((record, index) => {
      const commits = record.trace.filter((line) => 'commit' in line).map((line) => line.name);
      const words = [...new Set(record.executors.map(endWord))].join(', ');
      return `Step ${index + 1}, ${record.label}: commits ${commits.join(', ') || 'none'}; end ${words}.`;
    })
    .join(' ');
}

/** The map as one SVG element with a spoken description; takes its colours from the page. */
export function commitMapSvg(lab: Lab, records: readonly StepRecord[]): string {
  let y = TOP + 14;
  const marks: Mark[] = [];
  records.forEach((record, index) => {
    const step = stepMarks(lab, record, index + 1, y);
    marks.push(...step.marks);
    y = step.next;
  });
  const width = laneX(lab.lanes.length) - 40 + WORDS;
  const heads = lab.lanes.map((lane: LaneSpec, index) => {
    const x = laneX(index);
    return `${heading(x, lane.title)}<line x1="${x}" y1="${TOP - 8}" x2="${x}" y2="${y - ROW}" class="lane"/>`;
  });
  return `<svg viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="Commit map"><desc>${escapeHtml(
    spoken(records),
  )}</desc>${heading(PROCESS_X, 'process')}${heads.join('')}${marks.map((mark) => mark.svg).join('')}</svg>`;
}
