/** The command line that does what a step did. */
import type { Json } from '#lib/core/json.ts';
import type { FaultSpec, StepRecord } from '#lib/drill/model.ts';

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A word as a shell takes it, whatever is in it: a record may have come in a file of somebody else's. */
function quote(word: string): string {
  return /^[\w@%+:,./-][\w@%+:,./=#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function faultWord(fault: FaultSpec): string {
  const role = fault.role && fault.role !== 'executor' ? `${fault.role}/` : '';
  const hit = fault.hit && fault.hit !== 1 ? `#${fault.hit}` : '';
  const way = fault.action && fault.action !== 'exit' ? `:${fault.action}` : '';
  return `${role}${fault.at}${hit}${way}`;
}

/** `$name` was taken from an earlier reply: by hand it is the file that the reply was redirected into. */
function argument(name: string, asked: Json | undefined, value: Json): string[] {
  const flag = `--${kebab(name)}`;
  if (typeof asked === 'string' && /^\$[A-Za-z][\w-]*$/.test(asked)) return [flag, `${asked.slice(1)}.json`];
  // A flag that is there and has no value means true.
  if (value === true) return [flag];
  return [flag, typeof value === 'string' ? value : JSON.stringify(value)];
}

/**
 * `drill lab ...` for a step; null for what one executor cannot do by hand: a race,
 * the release of a held one, damage.
 */
export function byHand(lab: string, step: StepRecord): string | null {
  const { spec } = step;
  if (!spec.command || spec.race) return null;
  const args = Object.entries(step.args).flatMap(([name, value]) => argument(name, spec.args?.[name], value));
  const faults = step.fault.armed.flatMap((fault) => ['--fault', faultWord(fault)]);
  const words = [
    lab,
    spec.command,
    '--dir',
    'DIR',
    ...faults,
    ...(step.now > 0 ? ['--now', String(step.now)] : []),
    ...step.without.flatMap((name) => ['--without', name]),
    ...args,
  ];
  const into = spec.saves ? ` > ${quote(`${spec.saves}.json`)}` : '';
  return `npm run --silent drill -- lab ${words.map(quote).join(' ')}${into}`;
}
