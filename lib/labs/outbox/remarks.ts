/** What the page says beside the evidence (README.md, "Who may conclude what from what"). */
import { type Evidence, panel } from '../../evidence/model.ts';
import type { Remarks } from '../contract.ts';

const OUT_OF_SIGHT =
  'Tickets of the external tool are shown as the ground truth shows them; the sender cannot see them. That is why `unknown` looks the same whether the ticket is there or not.';

/** The remark on the tool's tickets stands where there is none too: that none is there is what the sender cannot see. */
export function remarks(evidence: Evidence): Remarks {
  const asked = panel(evidence, 'operation').rows.some(({ cells }) => cells.mode === 'external');
  const there = panel(evidence, 'target').rows.some(({ store }) => store === 'external');
  return asked || there ? { target: OUT_OF_SIGHT } : {};
}
