import type { getTranslations } from 'next-intl/server';
import type { StepRecord } from '#lib/drill/model.ts';
import { PANEL_IDS, type PanelId } from '#lib/evidence/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { textOf } from '../../_i18n/locale.ts';
import { InlineCode } from './inline-code.tsx';
import { type Blind, blindOf } from './known.ts';

/** What a panel's rows cannot say: why they cannot be counted, and the lab's remark. */
export interface BesidePanel {
  blind: Blind | null;
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
    return { blind: blindOf(lab, history, id), remark: remark ? textOf(remark, locale) : null };
  };
  return Object.fromEntries(PANEL_IDS.map((id) => [id, one(id)])) as Record<PanelId, BesidePanel>;
}

type T = Awaited<ReturnType<typeof getTranslations<'evidence'>>>;

/** Before a room all type grows with the screen. */
const SIZE = { page: 'text-[12.5px]', room: 'text-[0.75em]' } as const;

/** Stands under a panel's rows, and where there are none. */
export function Beside({ blind, remark, size = 'page', t }: BesidePanel & { size?: 'page' | 'room'; t: T }) {
  return (
    <div className={SIZE[size]}>
      {blind && <p className="mt-1.5 text-unknown">{t(`blind.${blind.problem}`, { store: blind.store })}</p>}
      {remark && (
        <p className="mt-1.5 text-soft">
          <InlineCode text={remark} />
        </p>
      )}
    </div>
  );
}
