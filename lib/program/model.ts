/** The crash matrix of a program lab as data. Equal sweeps give equal bytes. */
import type { CheckResult } from '../evidence/model.ts';
import { faultName, type PlacedFault } from './control.ts';
import type { InvariantResult, Outcome } from './judge.ts';
import type { Source } from './schema.ts';

export interface CellResult {
  /** `submit/after-charge#1:kill`, further faults behind a ` + `. */
  key: string;
  faults: PlacedFault[];
  /** False where its fault was not reached in any of the tries: shown, outside verdict and exit code. */
  reached: boolean;
  verdict: CheckResult;
  outcomes: Outcome[];
  invariants: InvariantResult[];
  /** Invariants that were violated, declared by the variant or not. */
  violated: string[];
  /** Why it is not `holds`, one short sentence each. */
  reasons: string[];
  /** Digest of the last evidence, ignored columns aside. */
  evidence: string;
}

/** The cells of one source and one variant. */
export interface PartResult {
  source: Source;
  variant: string | null;
  /** Invariants that the variant declares to violate. */
  violates: string[];
  baseline: { verdict: CheckResult; outcomes: Outcome[]; reasons: string[] };
  /** Places that only some baselines passed: not swept. */
  background: string[];
  /** Keys of all cells with one fault, also of those that another shard does. */
  planned: string[];
  cells: CellResult[];
}

export interface SweepResult {
  format: 'program-sweep/1';
  lab: string;
  title: string;
  digest: string;
  depth: number;
  shard: { index: number; of: number } | null;
  verdict: CheckResult;
  reasons: string[];
  parts: PartResult[];
}

export const cellKey = (faults: readonly PlacedFault[]): string => faults.map(faultName).join(' + ');

const ORDER: readonly CheckResult[] = ['holds', 'unknown', 'violated'];

/** Violated before unknown before holds. */
export const worst = (results: readonly CheckResult[]): CheckResult =>
  results.reduce<CheckResult>((a, b) => (ORDER.indexOf(a) >= ORDER.indexOf(b) ? a : b), 'holds');

/** `wire, naive` of a part. */
export const partName = ({ source, variant }: Pick<PartResult, 'source' | 'variant'>): string =>
  variant === null ? source : `${source}, ${variant}`;

/** What to do where a source has found nothing. */
const NO_BOUNDARY: Record<Source, string> = {
  code: '; call boundary("name") in the program (docs/protocol.md), or try --source node or --source wire',
  node: '; the program is not Node, or it writes by no library that the hook knows (docs/protocol.md)',
  wire: '; the program has to speak to its services by the addresses that the file gives it, like $pg.url',
};

/** Declared violations that no cell of a part has shown; known only when all its cells are there. */
function unseen(part: PartResult): string[] {
  return part.violates
    .filter((id) => !part.cells.some((cell) => cell.violated.includes(id)))
    .map((id) => `${partName(part)}: ${id} is declared as violated, and no cell violates it`);
}

/** The verdict of a whole matrix with its reasons; a shard leaves out what only the whole can tell. */
export function verdictOf(
  parts: readonly PartResult[],
  whole: boolean,
): { verdict: CheckResult; reasons: string[] } {
  const results: CheckResult[] = [];
  const reasons: string[] = [];
  for (const part of parts) {
    results.push(part.baseline.verdict);
    if (part.baseline.verdict !== 'holds') {
      reasons.push(...part.baseline.reasons.map((reason) => `${partName(part)}: without a fault, ${reason}`));
      continue;
    }
    const cells = part.cells.filter(({ reached }) => reached);
    results.push(...cells.map(({ verdict }) => verdict));
    if (part.planned.length === 0) {
      results.push('unknown');
      reasons.push(
        `${partName(part)}: no boundary was passed, so nothing could be crashed${NO_BOUNDARY[part.source]}`,
      );
    } else if (whole && cells.length === 0) {
      results.push('unknown');
      reasons.push(`${partName(part)}: none of ${part.planned.length} faults was reached`);
    }
    const missing = whole && part.planned.length > 0 ? unseen(part) : [];
    if (missing.length > 0) results.push('violated');
    reasons.push(...missing);
  }
  return { verdict: worst(results), reasons };
}
