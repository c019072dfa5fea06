import { canonicalJson } from '../core/canonical.ts';
import type { PanelId } from '../evidence/model.ts';
import type { Check } from './model.ts';

const PANEL: Record<PanelId, string> = {
  operation: 'operation status',
  target: 'target',
  receipts: 'receipts',
  events: 'event history',
};

const at = (label: string): string => (label === 'end' ? 'at the end' : `after "${label}"`);

/** A check in words: its own `says`, else a sentence made from its parts. */
export function checkSentence(check: Check): string {
  if (check.says) return check.says;
  if ('unchanged' in check) {
    const verb = check.unchanged === 'receipts' ? 'are' : 'is';
    return `The ${PANEL[check.unchanged]} ${verb} the same ${at(check.from)} and ${at(check.to)}.`;
  }
  if ('changes' in check) {
    const whose = check.operation ? ` by ${check.operation}` : '';
    const times = check.changes === 1 ? 'once' : `${check.changes} times`;
    return `The target was really changed ${times}${whose}, ${at(check.at)}.`;
  }
  if ('settled' in check) {
    return `A correct operator has ${check.settled ? 'nothing' : 'something'} left to do ${at(check.at)}.`;
  }
  if ('count' in check) {
    const where = check.store ? ` in ${check.store}` : '';
    const rows = check.count === 1 ? 'is 1 row' : `are ${check.count} rows`;
    return `There ${rows} in the ${PANEL[check.panel]}${where} ${at(check.at)}.`;
  }
  const value = typeof check.equals === 'string' ? check.equals : canonicalJson(check.equals);
  return `In the ${PANEL[check.panel]}, ${check.cell} of ${check.row} is ${value} ${at(check.at)}.`;
}
