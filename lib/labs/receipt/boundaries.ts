/** Places beside a commit where an executor can be stopped, in the order in which a run reaches them. */
import type { BoundarySpec } from '../contract.ts';

type Place = Omit<BoundarySpec, 'role' | 'shows'>;

function place(spec: Place, shows: string): BoundarySpec {
  return { ...spec, role: 'executor', shows: shows };
}

export const boundaries: BoundarySpec[] = [
  place(
    { name: 'before-intent', lock: 'free' },
    'Nothing is written and no lock is held: the start of a race. A crash here leaves nothing at all.',
  ),
  place(
    { name: 'before-intent-commit', lock: 'held', commit: 'intent', side: 'before' },
    'The intent is written and not committed: it is rolled back, and nobody ever heard of the operation.',
  ),
  place(
    { name: 'after-intent', lock: 'free', commit: 'intent', side: 'after' },
    'The ledger says pending and the target is untouched. The record looks as it does after the effect.',
  ),
  place(
    { name: 'before-target-commit', lock: 'held', commit: 'target', side: 'before' },
    'Target and receipt are written and not committed: both are rolled back together.',
  ),
  place(
    { name: 'after-target', lock: 'free', commit: 'target', side: 'after' },
    'The effect and its receipt exist; the ledger still says pending. The acknowledgement is lost.',
  ),
  place(
    {
      name: 'before-receipt-commit',
      lock: 'held',
      commit: 'receipt',
      side: 'before',
      onlyWithout: 'receipt-in-the-same-commit',
    },
    'Between target and receipt: the effect exists, its proof is rolled back, and nothing says whose change it was.',
  ),
  place(
    {
      name: 'after-receipt',
      lock: 'free',
      commit: 'receipt',
      side: 'after',
      onlyWithout: 'receipt-in-the-same-commit',
    },
    'The proof has caught up with the effect; the ledger still says pending.',
  ),
  place(
    { name: 'before-complete-commit', lock: 'held', commit: 'completion', side: 'before' },
    'The completion is rolled back; effect and receipt stand. As after-target, one step later.',
  ),
  place(
    { name: 'after-complete', lock: 'free', commit: 'completion', side: 'after' },
    'Everything is committed; only the answer to the caller is lost.',
  ),
  place(
    { name: 'before-reconcile-commit', lock: 'held', commit: 'classification', side: 'before' },
    'Recovery itself dies: its conclusion is rolled back, and the next recovery finds the same evidence.',
  ),
  place(
    { name: 'after-reconcile', lock: 'free', commit: 'classification', side: 'after' },
    'Recovery has recorded its conclusion and dies before it says so: the next one finds it recorded.',
  ),
  place(
    { name: 'before-decision-commit', lock: 'held', commit: 'decision', side: 'before' },
    'The decision is rolled back: whoever decided has to record it again.',
  ),
  place(
    { name: 'after-decision', lock: 'free', commit: 'decision', side: 'after' },
    'The decision is recorded; only the answer is lost.',
  ),
];
