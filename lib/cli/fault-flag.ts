import { DrillError } from '../core/errors.ts';
import type { FaultSpec } from '../drill/model.ts';

const WAYS = ['exit', 'kill', 'abort', 'hold'] as const;

/**
 * Reads `[role/]boundary[#hit][:do]`.
 *
 * @throws DrillError `usage` with the form expected
 */
export function parseFaultFlag(text: string): FaultSpec {
  const match = /^(?:([a-z][a-z-]*)\/)?([a-z][a-z0-9-]*)(?:#([1-9]\d{0,3}))?(?::([a-z]+))?$/.exec(text);
  const way = match?.[4];
  if (!match || (way !== undefined && !WAYS.includes(way as (typeof WAYS)[number]))) {
    throw new DrillError(
      'usage',
      `--fault "${text}": expected [role/]boundary[#hit][:exit|kill|abort|hold].`,
    );
  }
  return {
    at: match[2] as string,
    ...(match[1] ? { role: match[1] } : {}),
    ...(match[3] ? { hit: Number(match[3]) } : {}),
    ...(way ? { action: way as FaultSpec['action'] } : {}),
  };
}
