/** Proposals that no `run` may act upon: what is wrong, the proposal, and what the sentence must say. */
import { digest } from '../../../core/canonical.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import { makeProposal } from '../proposal.ts';
import { OPERATION } from '../words.ts';

const made = makeProposal(OPERATION, 1, true);

/** Changed and signed anew: only the change itself can be noticed. */
function signed(changes: JsonObject): JsonObject {
  const { digest: _, ...rest } = { ...made, ...changes };
  return { ...rest, digest: digest(rest) };
}

function lacking(name: string): JsonObject {
  const { [name]: _, ...rest } = made;
  return rest;
}

export const malformedProposals: [kind: string, proposal: Json, sentence: RegExp][] = [
  ['is null', null, /not an object/],
  ['is a text', 'proposal', /not an object/],
  ['is a number', 1, /not an object/],
  ['is a list', [made], /not an object/],
  ['lacks its contract', lacking('contract'), /lacks "contract"/],
  ['lacks a field', lacking('expectedVersion'), /lacks "expectedVersion"/],
  ['lacks its digest', lacking('digest'), /lacks "digest"/],
  ['has an operation that no file can hold', signed({ operation: 'x\ud800' }), /well-formed Unicode/],
  ['has a field too many', signed({ force: true }), /"force"/],
  ['is of an unknown contract version', signed({ contract: 2 }), /contract version is unknown/],
  ['has its contract version as a text', signed({ contract: '1' }), /contract version is unknown/],
  ['has a number as a text', signed({ expectedVersion: '1' }), /"expectedVersion"/],
  ['has a fractional version', signed({ expectedVersion: 1.5 }), /"expectedVersion"/],
  ['expects version 0', signed({ expectedVersion: 0 }), /"expectedVersion"/],
  ['has an empty operation', signed({ operation: '' }), /"operation"/],
  ['has an operation of 129 characters', signed({ operation: 'x'.repeat(129) }), /"operation"/],
  ['is 10 MB', signed({ operation: 'x'.repeat(10_000_000) }), /"operation"/],
  ['names another target', signed({ target: 'production-bucket' }), /"target"/],
  ['has a change that is no object', signed({ change: true }), /"change"/],
  ['changes another property', signed({ change: { property: 'acl', value: true } }), /"change.property"/],
  [
    'has a value as a text',
    signed({ change: { property: 'blockPublicAccess', value: 'true' } }),
    /"change.value"/,
  ],
  [
    'was edited after the review',
    { ...made, change: { property: 'blockPublicAccess', value: false } },
    /digest/,
  ],
  [
    'has the digest of another',
    { ...made, digest: makeProposal(OPERATION, 2, true).digest as string },
    /digest/,
  ],
  ['has its digest in upper case', { ...made, digest: String(made.digest).toUpperCase() }, /digest/],
];
