import { createHash } from 'node:crypto';

/** SHA-256 in lower-case hexadecimal. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
