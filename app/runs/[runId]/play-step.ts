/** From the fields of the form to a step, as a scenario file would write it. Runs in the browser. */
import type { Json, JsonObject } from '#lib/core/json.ts';
import type { PlayAction, PlayModel } from './free-play-model.ts';

export type Built = { step: JsonObject } | { wrong: 'json' | 'number'; field: string };

const text = (form: FormData, name: string): string => String(form.get(name) ?? '').trim();

/** The field holds what its kind does not take. */
const WRONG = Symbol('wrong');

function argument(field: PlayAction['fields'][number], form: FormData): Json | undefined | typeof WRONG {
  const given = text(form, `arg:${field.name}`);
  if (field.kind === 'boolean') return given === '' ? undefined : given === 'true';
  if (given === '') return undefined;
  if (field.kind === 'number') return Number.isNaN(Number(given)) ? WRONG : Number(given);
  if (field.kind !== 'json' || /^\$[A-Za-z][\w-]*$/.test(given)) return given;
  try {
    return JSON.parse(given) as Json;
  } catch {
    return WRONG;
  }
}

/** The step asked for, or which field cannot be read. */
export function buildStep(model: PlayModel, action: PlayAction, form: FormData): Built {
  if (action.verb === 'release') return { step: { release: action.name } };
  if (action.verb === 'kill') return { step: { release: action.name, action: 'kill' } };
  if (action.verb === 'damage') {
    return { step: { damage: action.name, ...(action.needsFrom ? { from: text(form, 'from') } : {}) } };
  }
  const args: JsonObject = {};
  for (const field of action.fields) {
    const value = argument(field, form);
    if (value === WRONG) {
      return { wrong: field.kind === 'number' ? 'number' : 'json', field: field.name };
    }
    if (value !== undefined) args[field.name] = value;
  }
  const boundary = model.boundaries.find((one) => one.id === text(form, 'at'));
  const hit = Number(text(form, 'hit') || 1);
  const now = text(form, 'now');
  const step: JsonObject = { command: action.name, args };
  if (action.saves) step.saves = action.saves;
  if (now !== '' && Number(now) !== model.now) step.now = Number(now);
  if (boundary)
    step.fault = { at: boundary.at, role: boundary.role, hit, action: text(form, 'action') || 'exit' };
  return { step };
}
