import type { JsonObject } from '../core/json.ts';

/** The one line that an executor reads (DESIGN.md, "Executor protocol"). */
export interface Request {
  lab: string;
  command: string;
  args: JsonObject;
  dir: string;
  control: string | null;
  now: number;
  without: string[];
  /** Pid of the process that owns the step. */
  owner: number;
  /** Set for a damage: `command` is its name, `from` the directory of the raw copy to put back. */
  damage?: { from: string | null };
}
