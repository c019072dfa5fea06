import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digest } from '../../core/canonical.ts';
import { DrillError } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { makeProposal, readProposal } from './proposal.ts';
import { malformedProposals } from './testing/malformed.ts';

test('a proposal is read back as it was made', () => {
  const made = makeProposal('op', 3, false);
  const { operation, expectedVersion, value } = readProposal(made);
  assert.deepEqual([operation, expectedVersion, value], ['op', 3, false]);
});

test('the digest covers everything but itself, whatever the order of the members', () => {
  const made = makeProposal('op', 1, true);
  const { digest: claimed, ...rest } = made;
  assert.equal(claimed, digest(rest));
  const turned = Object.fromEntries(Object.entries(made).reverse());
  assert.equal(readProposal(turned).digest, claimed);
  assert.notEqual(makeProposal('op', 2, true).digest, claimed);
  assert.notEqual(makeProposal('op', 1, false).digest, claimed);
  assert.notEqual(makeProposal('other', 1, true).digest, claimed);
});

for (const [kind, proposal, sentence] of malformedProposals) {
  test(`a proposal that ${kind} is malformed, definitely, in one sentence`, () => {
    assert.throws(
      () => readProposal(proposal),
      (error: unknown) => {
        assert.ok(error instanceof DrillError);
        assert.equal(error.exit, 65);
        assert.equal(error.definite, true);
        assert.match(error.message, sentence);
        assert.ok(error.message.length < 250, 'the sentence does not carry the input along');
        return true;
      },
    );
  });
}

test('members of any JSON kind in place of the right one are refused, never passed on', () => {
  const made = makeProposal('op', 1, true);
  const kinds: Json[] = [null, true, 0, -1, 1.5, 2 ** 60, '', 'x', [], [1], {}, { a: 1 }];
  for (const name of Object.keys(made)) {
    for (const kind of kinds) {
      const changed: JsonObject = { ...made, [name]: kind };
      // Signed anew, so that the member itself has to be noticed and not the digest.
      if (name !== 'digest') {
        const { digest: _, ...rest } = changed;
        changed.digest = digest(rest);
      }
      if (name === 'operation' && kind === 'x') continue;
      assert.throws(() => readProposal(changed), DrillError, `${name} = ${JSON.stringify(kind)}`);
    }
  }
});
