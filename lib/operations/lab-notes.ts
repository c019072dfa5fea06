import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../core/project-root.ts';
import { getLab } from '../labs/registry.ts';

/**
 * A lab's facilitator notes, as Markdown; null where it has none.
 *
 * @throws DrillError `not-found` where there is no such lab
 */
export function labNotes(id: string): string | null {
  const file = join(projectRoot(), 'lib', 'labs', getLab(id).id, 'notes.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}
