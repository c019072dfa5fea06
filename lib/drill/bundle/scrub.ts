/** What must not leave the machine with a bundle: its paths, and with them its people's names. */
import { realpathSync } from 'node:fs';
import { homedir, hostname, tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { Json } from '../../core/json.ts';
import { projectRoot } from '../../core/project-root.ts';
import type { ExecutorEnd, StepFacts } from '../model.ts';

interface Hidden {
  text: string;
  shown: string;
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Replaces what names this machine.
 *
 * @param runDir directory of the run
 * @param dataDir the dashboard's data directory, where there is one
 */
export function scrubber(runDir: string, dataDir?: string): (text: string) => string {
  const places: [string | undefined, string][] = [
    [runDir, '<run>'],
    [dataDir, '<data>'],
    [projectRoot(), '<project>'],
    [dirname(process.execPath), '<node>'],
    [homedir(), '<home>'],
    [tmpdir(), '<tmp>'],
  ];
  const hidden: Hidden[] = places
    .flatMap(([path, shown]) => (path ? [path, real(path)].map((text) => ({ text, shown })) : []))
    .filter(({ text }) => text.length > 1)
    .sort((a, b) => b.text.length - a.text.length);
  // A host called like a word of the lab would change what was recorded; only names that cannot be one are hidden.
  if (/[\d.-]/.test(hostname()) && hostname().length > 5) hidden.push({ text: hostname(), shown: '<host>' });
  return (text) => hidden.reduce((left, one) => left.replaceAll(one.text, one.shown), text);
}

/** Any absolute path of two parts or more, with its last part kept: what is left in a stack trace is its shape. */
export function hidePaths(text: string): string {
  return text.replace(/(?:file:\/\/|(?<![\w.<>/:]))\/(?:[^\s'"()<>:,/]+\/)+([^\s'"()<>:,/]*)/g, '<path>/$1');
}

/** Applies a change to every text of a JSON value; names of members stay. */
export function mapText(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapText(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapText(item, change)]));
}

/** A record without paths of the machine. Evidence stays as it is: labs keep places out of it, and bytes count. */
export function scrubRecord(record: StepFacts, scrub: (text: string) => string): StepFacts {
  const tail = (text: string) => hidePaths(scrub(text));
  const executors = record.executors.map(
    (end): ExecutorEnd => ({
      ...end,
      ...(end.notStarted === undefined ? {} : { notStarted: tail(end.notStarted) }),
      reply: end.reply === null ? null : (mapText(end.reply, scrub) as ExecutorEnd['reply']),
      stdout: tail(end.stdout),
      stderr: tail(end.stderr),
    }),
  );
  return {
    ...record,
    ...(record.error === undefined ? {} : { error: tail(record.error) }),
    args: mapText(record.args, scrub) as StepFacts['args'],
    executors,
  };
}
