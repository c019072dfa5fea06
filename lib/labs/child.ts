/** Child side of a lab: what `commands.ts` and `damage.ts` export. Types only; executors load nothing for it. */
import type { Json, JsonObject } from '../core/json.ts';
import type { Decision, Effect } from '../evidence/model.ts';

export interface Context {
  /** Directory of the run's databases. */
  dir: string;
  /** Validated by the parent against the command's `args`; already defaulted. */
  args: JsonObject;
  /** Logical clock, in ticks, read anew at each use: a process that was held goes on at the time of its release. */
  readonly now: number;
  /** Safeguards that are switched off. */
  without: ReadonlySet<string>;
}

/** What an executor answers. `status` is a word of the lab; the rest says what it means. */
export interface Reply {
  status: string;
  /** True: this call certainly changed nothing. Stated by every refusal and error. */
  definite?: boolean;
  effect?: Effect;
  decision?: Decision;
  retryable?: boolean;
  [key: string]: Json | undefined;
}

export interface Outcome {
  exit: number;
  reply: Reply | JsonObject;
}

/** One command: reads its context, commits, answers. Throws DrillError for a refusal with a standard code. */
export type Command = (context: Context) => Outcome | Promise<Outcome>;
export type Commands = Record<string, Command>;
