/** Exit codes of executors and of the command line (docs/protocol.md). */
export const EXIT = {
  done: 0,
  uncertain: 2,
  refused: 3,
  nothingDone: 4,
  usage: 64,
  malformed: 65,
  noDatabase: 66,
  defect: 70,
  wouldOverwrite: 73,
  machine: 74,
  busy: 75,
  crash: 86,
} as const;

/** Codes of refusals and errors; each lab and each operation says its sentence with one of these. */
export type ErrorCode =
  | 'usage'
  | 'malformed'
  | 'no-database'
  | 'not-a-database'
  | 'would-overwrite'
  | 'busy'
  | 'refused'
  | 'not-found'
  | 'stale'
  | 'conflict'
  | 'unavailable'
  | 'defect';

const EXIT_OF: Record<ErrorCode, number> = {
  usage: EXIT.usage,
  malformed: EXIT.malformed,
  'no-database': EXIT.noDatabase,
  'not-a-database': EXIT.noDatabase,
  'would-overwrite': EXIT.wouldOverwrite,
  busy: EXIT.busy,
  refused: EXIT.refused,
  'not-found': EXIT.usage,
  stale: EXIT.refused,
  conflict: EXIT.refused,
  unavailable: EXIT.machine,
  defect: EXIT.defect,
};

/**
 * An expected failure with one clear sentence.
 *
 * `definite` is true where this call certainly changed nothing, false where it may have
 * (docs/protocol.md). `exit` follows from the code.
 */
export class DrillError extends Error {
  readonly code: ErrorCode;
  readonly definite: boolean;
  readonly exit: number;

  constructor(code: ErrorCode, message: string, options: { definite?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DrillError';
    this.code = code;
    this.definite = options.definite ?? true;
    this.exit = EXIT_OF[code];
  }

  /** By name: a bundle and plain Node load a class of their own each, in one process, and throw to each other. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'DrillError';
  }
}
