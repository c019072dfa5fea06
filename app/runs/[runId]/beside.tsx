import type { StepRecord } from '#lib/drill/model.ts';
import { PANEL_IDS, type PanelId } from '#lib/evidence/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { InlineCode } from './inline-code.tsx';

/** What a panel's rows cannot say. */
export interface BesidePanel {
  remark: string | null;
}

/** @param history steps up to the one whose evidence is shown */
export function besideOf(
  lab: Lab,
  history: readonly StepRecord[],
  locale: string,
): Record<PanelId, BesidePanel> {
  const evidence = history.at(-1)?.evidence;
  const remarks = evidence ? lab.remarks?.(evidence) : undefined;
  const one = (id: PanelId): BesidePanel => {
    const remark = remarks?.[id];
    return { remark: remark ? remark : null };
  };
  return Object.fromEntries(PANEL_IDS.map((id) => [id, one(id)])) as Record<PanelId, BesidePanel>;
}

/** Before a room all type grows with the screen. */
const SIZE = { page: 'text-[12.5px]', room: 'text-[0.75em]' } as const;

/** Stands under a panel's rows, and where there are none. */
export function Beside({ remark, size = 'page' }: BesidePanel & { size?: 'page' | 'room' }) {
  if (!remark) return null;
  return (
    <p className={`mt-1.5 text-soft ${SIZE[size]}`}>
      <InlineCode text={remark} />
    </p>
  );
}
