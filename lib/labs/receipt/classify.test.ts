import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classify, type Facts } from './classify.ts';
import type { LedgerStatus, Safeguard } from './words.ts';

interface Given {
  status?: LedgerStatus;
  receipt?: 'ours' | 'other';
  /** The target's version; the intent expected version 1. */
  version?: number;
  value?: boolean;
}

function facts({ status, receipt, version = 1, value = version > 1 }: Given): Facts {
  const ledger = status && {
    operation: 'op',
    digest: 'ours',
    target: 'synthetic-bucket',
    expectedVersion: 1,
    value: true,
    status,
  };
  return {
    ledger: ledger ?? null,
    receipt: receipt ? { digest: receipt, fromVersion: 1, version: 2 } : null,
    target: { version, value },
    decided: null,
  };
}

function conclusion(given: Given, ...without: Safeguard[]) {
  const { status, effect, retryable, decision, exit } = classify(facts(given), new Set(without));
  return [status, effect, retryable, decision, exit];
}

const reconciled = ['reconciled', 'confirmed', false, 'reconcile', 0];
const absent = ['pending', 'absent', true, 'retry-same-key', 4];
const uncertain = ['uncertain', 'unknown', false, 'investigate', 2];

test('no record and no receipt: nothing recorded, the same key may be used', () => {
  for (const version of [1, 2]) {
    assert.deepEqual(conclusion({ version }), ['nothing-recorded', 'absent', true, 'retry-same-key', 3]);
  }
});

test('a receipt without a record permits no conclusion', () => {
  for (const version of [1, 2]) {
    const expected = ['nothing-recorded', 'unknown', false, 'investigate', 2];
    assert.deepEqual(conclusion({ receipt: 'ours', version }), expected);
  }
});

test('pending with a matching receipt is reconciled, wherever the target is by now', () => {
  for (const version of [1, 2, 3]) {
    assert.deepEqual(conclusion({ status: 'pending', receipt: 'ours', version }), reconciled);
  }
});

test('pending without a receipt, the target at the reviewed version: absent, may be retried', () => {
  assert.deepEqual(conclusion({ status: 'pending', version: 1 }), absent);
});

test('an equal value at the reviewed version is not an effect', () => {
  assert.deepEqual(conclusion({ status: 'pending', version: 1, value: true }), absent);
});

test('pending without a receipt, the target moved: uncertain, whatever its value is', () => {
  for (const value of [true, false]) {
    assert.deepEqual(conclusion({ status: 'pending', version: 2, value }), uncertain);
  }
});

test('pending with a receipt of another digest is uncertain, wherever the target is', () => {
  for (const version of [1, 2]) {
    assert.deepEqual(conclusion({ status: 'pending', receipt: 'other', version }), uncertain);
  }
});

test('complete and reconciled stay, with any receipt and any target', () => {
  for (const status of ['complete', 'reconciled'] as const) {
    for (const receipt of [undefined, 'ours', 'other'] as const) {
      for (const version of [1, 2, 3]) {
        assert.deepEqual(conclusion({ status, receipt, version }), [status, 'confirmed', false, 'none', 0]);
      }
    }
  }
});

test('rejected stays, and its effect is absent', () => {
  assert.deepEqual(conclusion({ status: 'rejected', version: 2 }), ['rejected', 'absent', false, 'none', 3]);
});

test('a rejection beside a receipt contradicts itself and is not believed', () => {
  const expected = ['rejected', 'unknown', false, 'investigate', 2];
  assert.deepEqual(conclusion({ status: 'rejected', receipt: 'ours', version: 2 }), expected);
});

test('uncertain stays, unless its own receipt ends the doubt', () => {
  for (const receipt of [undefined, 'other'] as const)
    assert.deepEqual(
      conclusion({ status: 'uncertain', version: 2, ...(receipt ? { receipt } : {}) }),
      uncertain,
    );
  assert.deepEqual(conclusion({ status: 'uncertain', receipt: 'ours', version: 2 }), reconciled);
});

test('a reviewed decision counts where the evidence leaves the effect unknown, and nowhere else', () => {
  const found = (decided: Facts['decided'], status: Given['status']) => {
    const { effect, decision, exit } = classify({ ...facts({ status, version: 2 }), decided }, new Set());
    return [effect, decision, exit];
  };
  assert.deepEqual(found('confirmed', 'uncertain'), ['confirmed', 'none', 0]);
  assert.deepEqual(found('absent', 'uncertain'), ['absent', 'retry-same-key', 4]);
  assert.deepEqual(found('void', 'uncertain'), ['unknown', 'none', 3]);
  assert.deepEqual(found('confirmed', 'rejected'), ['absent', 'none', 3]);
});

test('a drift after the receipt is told apart from the effect, which stays confirmed', () => {
  const moved = classify(facts({ status: 'pending', receipt: 'ours', version: 3 }), new Set());
  assert.equal(moved.driftAfterReceipt, true);
  assert.equal(moved.effect, 'confirmed');
  const still = classify(facts({ status: 'pending', receipt: 'ours', version: 2 }), new Set());
  assert.equal(still.driftAfterReceipt, false);
});

test('without receipt-before-retry, pending alone means retry', () => {
  assert.deepEqual(
    conclusion({ status: 'pending', receipt: 'ours', version: 2 }, 'receipt-before-retry'),
    absent,
  );
});

test('without ownership-needs-receipt, an equal value counts as ours and another one does not', () => {
  const off = 'ownership-needs-receipt';
  assert.deepEqual(conclusion({ status: 'pending', version: 2, value: true }, off), reconciled);
  assert.deepEqual(conclusion({ status: 'pending', version: 2, value: false }, off), uncertain);
});
