/** A proposal: the reviewed change as data, tied to itself by its digest. Checked by hand: executors load no Zod. */
import { digest } from '../../core/canonical.ts';
import { DrillError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import { PROPERTY, TARGET } from './words.ts';

export const CONTRACT = 1;
export const MAX_OPERATION_LENGTH = 128;

export interface Proposal {
  operation: string;
  target: string;
  expectedVersion: number;
  value: boolean;
  digest: string;
}

const MEMBERS = ['contract', 'operation', 'target', 'expectedVersion', 'change', 'digest'];

function malformed(sentence: string): DrillError {
  return new DrillError('malformed', `The proposal was refused: ${sentence} Nothing was written.`);
}

function exactMembers(value: JsonObject, names: readonly string[], where: string): void {
  for (const name of names) {
    if (!Object.hasOwn(value, name)) throw malformed(`${where} lacks "${name}".`);
  }
  const extra = Object.keys(value).find((name) => !names.includes(name));
  if (extra !== undefined)
    throw malformed(`${where} has a member "${extra.slice(0, 40)}" that this contract does not know.`);
}

/** @throws DrillError `malformed` for an operation that is no well-formed text of 1 to 128 characters */
export function checkOperation(value: Json | undefined): string {
  if (typeof value !== 'string' || value === '' || value.length > MAX_OPERATION_LENGTH) {
    throw malformed(`"operation" must be a text of 1 to ${MAX_OPERATION_LENGTH} characters.`);
  }
  // A lone surrogate has no UTF-8 form: another operation would be recorded than the one that was asked for.
  if (!value.isWellFormed()) throw malformed('"operation" must be well-formed Unicode.');
  return value;
}

/** The proposal of one change, with its digest: SHA-256 of the canonical JSON of the rest. */
export function makeProposal(operation: string, expectedVersion: number, value: boolean): JsonObject {
  const rest: JsonObject = {
    contract: CONTRACT,
    operation,
    target: TARGET,
    expectedVersion,
    change: { property: PROPERTY, value },
  };
  return { ...rest, digest: digest(rest) };
}

/**
 * Reads a proposal that came from outside.
 *
 * @param value anything that JSON can carry
 * @throws DrillError `malformed`, definite, naming the first member that is wrong; the order is fixed: shape, contract
 *   version, members, digest
 */
export function readProposal(value: Json | undefined): Proposal {
  if (!isObject(value)) throw malformed('it is not an object.');
  if (!Object.hasOwn(value, 'contract')) throw malformed('it lacks "contract".');
  if (value.contract !== CONTRACT)
    throw malformed(`its contract version is unknown; this lab reads version ${CONTRACT}.`);
  exactMembers(value, MEMBERS, 'it');
  const operation = checkOperation(value.operation);
  if (value.target !== TARGET) throw malformed(`"target" must be "${TARGET}", the only target of this lab.`);
  const { expectedVersion, change } = value;
  if (typeof expectedVersion !== 'number' || !Number.isSafeInteger(expectedVersion) || expectedVersion < 1) {
    throw malformed('"expectedVersion" must be a whole number from 1 on.');
  }
  if (!isObject(change)) throw malformed('"change" is not an object.');
  exactMembers(change, ['property', 'value'], '"change"');
  if (change.property !== PROPERTY) throw malformed(`"change.property" must be "${PROPERTY}".`);
  if (typeof change.value !== 'boolean') throw malformed('"change.value" must be true or false.');
  const { digest: claimed, ...rest } = value;
  if (claimed !== digest(rest))
    throw malformed('its digest is not that of its content, so it is not what was reviewed.');
  return { operation, target: TARGET, expectedVersion, value: change.value, digest: claimed as string };
}
