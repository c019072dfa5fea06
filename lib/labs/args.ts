/** The arguments of a command as fields: flags on the command line, inputs in free play. */
import type { z } from 'zod';
import type { Json } from '../core/json.ts';
import type { CommandSpec } from './contract.ts';

export interface ArgField {
  name: string;
  kind: 'boolean' | 'number' | 'text' | 'choice' | 'json';
  required: boolean;
  description: string;
  options: string[];
  /** What is taken where it is left out. */
  fallback: Json | undefined;
}

interface Def {
  type: string;
  innerType?: Schema;
  entries?: Record<string, string>;
  defaultValue?: unknown;
  values?: unknown[];
}
interface Schema {
  def: Def;
  description?: string;
}

const KINDS: Record<string, ArgField['kind']> = {
  boolean: 'boolean',
  number: 'number',
  int: 'number',
  string: 'text',
  enum: 'choice',
};

function field(name: string, schema: Schema): ArgField {
  let at = schema;
  let required = true;
  let fallback: Json | undefined;
  let description = schema.description ?? '';
  while (at.def.innerType) {
    if (at.def.type === 'optional' || at.def.type === 'default' || at.def.type === 'prefault')
      required = false;
    if (at.def.type === 'default' || at.def.type === 'prefault') fallback = at.def.defaultValue as Json;
    at = at.def.innerType;
    description ||= at.description ?? '';
  }
  const options = at.def.type === 'enum' ? Object.values(at.def.entries ?? {}) : [];
  // What is neither a plain word nor a plain figure is JSON: whoever submits it may submit anything.
  return { name, kind: KINDS[at.def.type] ?? 'json', required, description, options, fallback };
}

/** Fields of a command, in the order of its schema. */
export function argFields(command: CommandSpec): ArgField[] {
  const shape = command.args.shape as Record<string, z.ZodType>;
  return Object.entries(shape).map(([name, schema]) => field(name, schema as unknown as Schema));
}
