import type { Json, JsonObject } from '../core/json.ts';

export const PANEL_IDS = ['operation', 'target', 'receipts', 'events'] as const;
export type PanelId = (typeof PANEL_IDS)[number];

export interface Row {
  /** Unique within its panel; diffs go by it. */
  key: string;
  /** Id of the database file that committed the row. */
  store: string;
  cells: JsonObject;
}

export interface Panel {
  id: PanelId;
  /** What the lab calls this panel: "ledger", "outbox". */
  title: string;
  columns: string[];
  rows: Row[];
}

/** One change of a target, written by the changer in the target's own commit. Executors never read it. */
export interface TruthChange {
  store: string;
  /** The thing that changed. */
  target: string;
  /** The operation that made the change, or null where another actor did. */
  operation: string | null;
  /** Who: `executor`, or the name of the other actor. */
  actor: string;
  from: Json;
  to: Json;
}

export interface FileState {
  store: string;
  file: string;
  present: boolean;
}

export interface Integrity {
  store: string;
  /** `ok`, `missing`, or what the check said. */
  quickCheck: string;
  foreignKeys: string;
}

/** What an independent reader finds in the databases after a step (docs/design.md, "Evidence"). */
export interface Evidence {
  lab: string;
  /** Always operation, target, receipts, events, in that order. */
  panels: [Panel, Panel, Panel, Panel];
  truth: TruthChange[];
  integrity: Integrity[];
  files: FileState[];
}

export type Effect = 'confirmed' | 'absent' | 'unknown';
export type Decision = 'reconcile' | 'retry-same-key' | 'investigate' | 'none';
export type CheckResult = 'holds' | 'violated' | 'unknown';

/** The panel of that id; every evidence has all four. */
export function panel(evidence: Evidence, id: PanelId): Panel {
  return evidence.panels[PANEL_IDS.indexOf(id)] as Panel;
}
