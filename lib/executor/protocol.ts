import type { JsonObject } from '../core/json.ts';

/** The one line that an executor reads (docs/protocol.md). */
export interface Request {
  lab: string;
  command: string;
  args: JsonObject;
  dir: string;
  control: string | null;
  now: number;
  without: string[];
  /** Answer on one line and wait for the next request, instead of ending; only where the command ends in good order. */
  keep?: boolean;
  /** Pid of the process that owns the step. */
  owner: number;
  /** Set for a damage: `command` is its name, `from` the directory of the raw copy to put back. */
  damage?: { from: string | null };
}
