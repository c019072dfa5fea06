/** Approval: a digest over what was approved. A fingerprint, not a signature (README.md, "Approval"). */
import { digest } from '../../core/canonical.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Action, RunContext } from './words.ts';

/** SHA-256 of the canonical JSON of tenant, principal, policy version, run id and action. */
export function approvalDigest(
  { tenant, principal, policyVersion }: Omit<RunContext, 'allowed'>,
  run: string,
  { source, title, tool }: Action,
): string {
  return digest({ action: { source, title, tool }, policy: policyVersion, principal, run, tenant });
}

/** The approval as `approve` prints it: what it was issued for, and the digest, which alone counts. */
export function makeApproval(context: RunContext, run: string, action: Action): JsonObject {
  const { tenant, principal, policyVersion } = context;
  const { source, title, tool } = action;
  const given = { tenant, principal, policyVersion, run, action: { source, title, tool } };
  return { ...given, digest: approvalDigest(context, run, action) };
}

/** The digest that an approval carries: itself, or its member of that name; null where none was given. */
export function givenDigest(approval: Json | undefined): string | null {
  if (typeof approval === 'string') return approval;
  return isObject(approval) && typeof approval.digest === 'string' ? approval.digest : null;
}
