/** The commit map as data: rows, bars, marks, each with its place and its spoken name. */
import type { PanelId } from '#lib/evidence/model.ts';

export interface Bar {
  /** Row of processes, counted from 0. */
  row: number;
  from: number;
  to: number;
  label: string;
  detail: string;
  end: 'done' | 'crashed' | 'held';
  spoken: string;
}

export interface Dot {
  lane: number;
  x: number;
  panel: PanelId;
  /** Beside the first dot of a commit only. */
  label: string | null;
  committed: boolean;
  /** The process row that the commit came from, for the line between them. */
  row: number;
  spoken: string;
}

export interface Death {
  row: number;
  x: number;
  title: string;
  detail: string;
  spoken: string;
}

export interface OpenBar {
  from: number;
  /** null: nothing has closed it. */
  to: number | null;
  label: string;
  spoken: string;
}

export interface StepBand {
  x: number;
  width: number;
  label: string;
}

export interface CommitMapLayout {
  width: number;
  processRows: string[];
  lanes: { title: string; panel: PanelId }[];
  bands: StepBand[];
  bars: Bar[];
  dots: Dot[];
  deaths: Death[];
  unknown: OpenBar[];
}
