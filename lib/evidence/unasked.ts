/** Evidence as one who decides could read it. */
import type { Evidence, Panel } from './model.ts';

/**
 * @param unasked stores that nobody who decides can ask
 * @returns the evidence without their rows and without the ground truth
 */
export function askable(evidence: Evidence, unasked: readonly string[]): Evidence {
  const seen = (panel: Panel): Panel => ({
    ...panel,
    rows: panel.rows.filter(({ store }) => !unasked.includes(store)),
  });
  const [operation, target, receipts, events] = evidence.panels;
  return { ...evidence, panels: [seen(operation), seen(target), seen(receipts), seen(events)], truth: [] };
}
