/** How an operator reads one step: the evidence in plain words, without the ground truth. */
import type { StepRecord } from '../../drill/model.ts';
import { panel } from '../../evidence/model.ts';
import type { Assessment, Investigation } from '../contract.ts';
import { type Classification, classify, type Facts } from './classify.ts';
import { databaseState, factsOf, operationOf } from './facts.ts';

const NONE: ReadonlySet<string> = new Set();

function survived({ ledger, receipt, target }: Facts, found: Classification): string {
  if (receipt && ledger && receipt.digest !== ledger.digest) {
    return `A receipt whose digest is not that of the record. It proves some change, not this one.`;
  }
  if (receipt) {
    const drift = found.driftAfterReceipt
      ? ` The target is at version ${target.version} now: somebody acted after it.`
      : '';
    const whose = ledger ? "A receipt with this proposal's digest" : 'A receipt without a ledger record';
    return `${whose}, committed together with version ${receipt.version}.${drift}`;
  }
  if (!ledger) return `No record and no receipt; the target is at version ${target.version}.`;
  if (target.version === ledger.expectedVersion) {
    return `No receipt, and the target still at version ${target.version}, the one that was reviewed.`;
  }
  const value = target.value === ledger.value ? ', with the very value that was wanted' : '';
  return `No receipt, and the target at version ${target.version}${value}. Nothing says who changed it.`;
}

function recordAlone({ ledger }: Facts): string {
  switch (ledger?.status) {
    case undefined:
      return 'Nothing. That proves absence only if no record was ever deleted.';
    case 'pending':
      return '`pending`. A retry on that word would have been a guess.';
    case 'complete':
    case 'reconciled':
      return `\`${ledger.status}\`: the effect was proven when this was written.`;
    case 'rejected':
      return '`rejected`: the executor that recorded the intent saw the version moved and wrote nothing.';
    case 'uncertain':
      return '`uncertain`: a person has to find out. Running it again could be the second time.';
  }
}

/**
 * Reads the last step of a history.
 *
 * @returns effect and decision as a careful operator would state them from this evidence
 */
export function assess(history: readonly StepRecord[]): Assessment {
  const evidence = history.at(-1)?.evidence;
  if (!evidence || databaseState(evidence) === 'missing') {
    const ever = history.some((record) => record.evidence && databaseState(record.evidence) !== 'missing');
    if (evidence && !ever) {
      return {
        effect: 'absent',
        decision: 'none',
        asked: false,
        survived: 'There is no database yet.',
        recordAlone: 'Nothing.',
      };
    }
    return {
      effect: 'unknown',
      decision: 'investigate',
      survived: 'The database is gone.',
      recordAlone: 'Nothing.',
    };
  }
  if (databaseState(evidence) !== 'sound') {
    const text = 'A file that is no sound database. Nothing in it may be believed.';
    return {
      effect: 'unknown',
      decision: 'investigate',
      survived: text,
      recordAlone: 'It cannot be read.',
    };
  }
  const operation = history.map(operationOf).findLast((found) => found !== null);
  const facts = operation ? factsOf(evidence, operation) : null;
  const submitted = history.some((record) => record.command === 'run');
  if (!facts || (!submitted && !facts.ledger && !facts.receipt)) {
    return {
      effect: 'absent',
      decision: 'none',
      asked: false,
      survived: 'Nothing has been submitted.',
      recordAlone: 'Nothing.',
    };
  }
  const found = classify(facts, NONE);
  return {
    effect: found.effect,
    decision: found.decision,
    survived: survived(facts, found),
    recordAlone: recordAlone(facts),
  };
}

/** Operations whose effect the evidence leaves unknown and nobody has decided. */
export function investigations(history: readonly StepRecord[]): Investigation[] {
  const evidence = history.at(-1)?.evidence;
  if (!evidence || databaseState(evidence) !== 'sound') return [];
  const known = [...panel(evidence, 'operation').rows, ...panel(evidence, 'receipts').rows];
  return [...new Set(known.map(({ key }) => key))].flatMap((operation) => {
    const facts = factsOf(evidence, operation);
    const found = facts && classify(facts, NONE);
    if (!facts || found?.decision !== 'investigate') return [];
    return [
      {
        operation,
        effect: 'Whether the change of this operation exists.',
        missing: facts.receipt
          ? 'A record and a receipt with the same digest.'
          : 'A receipt: the target was changed, and nothing says by whom.',
        where: "The target's own audit log; the people who may change it.",
      },
    ];
  });
}
