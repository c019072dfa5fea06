import { type Reason, reasonWords } from '../drill/reasons.ts';
import type { Lab } from '../labs/contract.ts';

/** Why a run did not come out as declared, in words; what a scenario declares and gets is left out. */
export function whatFailed(lab: Lab, { reasons }: { reasons: readonly Reason[] }): string[] {
  return reasons
    .filter(({ kind }) => !kind.startsWith('declared-'))
    .map((reason) => reasonWords(lab, reason));
}
