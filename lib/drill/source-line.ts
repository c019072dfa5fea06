/** The source around a boundary, found in the files of its lab. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../core/project-root.ts';
import type { Lab } from '../labs/contract.ts';

export interface SourceLine {
  number: number;
  text: string;
}

export interface SourcePlace {
  /** From the project's root. */
  file: string;
  lines: SourceLine[];
  /** Number of the line that names the boundary. */
  at: number;
}

const AROUND = 4;
/** Where a boundary is declared, tested or armed: none of it is the program. */
const NOT_THE_PROGRAM = /(\.test|^boundaries|^manifest|^procedures|^oracle|^assessment|^invariants?)(\.|-)/;

interface SourceFile {
  file: string;
  lines: string[];
}

const read = new Map<string, SourceFile[]>();

function filesOf(lab: string): SourceFile[] {
  const known = read.get(lab);
  if (known) return known;
  const folder = `lib/labs/${lab}`;
  let names: string[] = [];
  try {
    names = readdirSync(join(projectRoot(), folder)).filter(
      (name) => name.endsWith('.ts') && !NOT_THE_PROGRAM.test(name),
    );
  } catch {
    // A lab that is no folder of this project has no source to show.
  }
  const files = names.sort().map((name) => ({
    file: `${folder}/${name}`,
    lines: readFileSync(join(projectRoot(), folder, name), 'utf8').split('\n'),
  }));
  read.set(lab, files);
  return files;
}

/** A call comes before a mere mention: names of boundaries are also looked up and compared. */
const patterns = (boundary: string): RegExp[] => {
  const name = boundary.replace(/[^\w-]/g, '\\$&');
  return [
    new RegExp(`boundary\\('${name}'`),
    new RegExp(`(before|after): '${name}'`),
    new RegExp(`'${name}'`),
  ];
};

/** Lines with the same indent as the margin taken away. */
function excerpt(lines: readonly string[], index: number): SourceLine[] {
  const from = Math.max(0, index - AROUND);
  const found = lines
    .slice(from, index + AROUND + 1)
    .map((text, place) => ({ number: from + place + 1, text }));
  const margin = Math.min(
    ...found
      .filter(({ text }) => text.trim() !== '')
      .map(({ text }) => text.length - text.trimStart().length),
  );
  return found.map(({ number, text }) => ({ number, text: text.slice(margin) }));
}

/**
 * Where a process reaches a boundary, from the real file; files are read once.
 *
 * @returns null for a boundary that no file of the lab names
 */
export function sourceOf(lab: Pick<Lab, 'id'>, boundary: string): SourcePlace | null {
  const files = filesOf(lab.id);
  for (const pattern of patterns(boundary)) {
    for (const { file, lines } of files) {
      const index = lines.findIndex((line) => pattern.test(line));
      if (index !== -1) return { file, lines: excerpt(lines, index), at: index + 1 };
    }
  }
  return null;
}
