import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { crashed } from '../../_ui/step-facts.ts';
import { EvidencePanels, type Side } from './evidence.tsx';
import { type Pins, presets } from './pins.ts';
import { type DrillParams, drillQuery } from './search-params.ts';

interface Props {
  run: RunView;
  lab: Lab;
  params: DrillParams;
  pins: Pins;
}

/** Before and After with the pairs worth a click. */
export async function EvidenceView({ run, lab, params, pins }: Props) {
  const t = await getTranslations('drill');
  const { steps } = run;
  const label = (position: number | null) => (position === null ? null : (steps[position]?.label ?? null));
  const base = `/runs/${run.id}`;
  const side = (name: Side['name']): Side => {
    const position = pins[name];
    const step = position === null ? undefined : steps[position];
    const other = name === 'before' ? { after: label(pins.after) } : { before: label(pins.before) };
    return {
      name,
      step:
        step && position !== null
          ? {
              number: position + 1,
              label: step.label,
              note: crashed(step) ? t('crashedNote', { command: step.command }) : step.command,
            }
          : null,
      evidence: step?.evidence ?? null,
      options: steps.map((one, index) => ({
        label: one.label,
        text: `${index + 1} ${one.label}`,
        href: base + drillQuery({ ...params, ...other, [name]: one.label }),
      })),
    };
  };
  const pairs = presets(steps, lab.commands);
  return (
    <div>
      {pairs.length > 0 && (
        <nav aria-label={t('presets')} className="no-print mb-2 flex flex-wrap gap-1.5 text-[13px]">
          {pairs.map((pair) => {
            const here = label(pins.before) === pair.before && label(pins.after) === pair.after;
            return (
              <Link
                key={pair.id}
                href={base + drillQuery({ ...params, before: pair.before, after: pair.after })}
                scroll={false}
                aria-current={here ? 'true' : undefined}
                className="rounded-full border border-line bg-panel px-3 py-0.5 text-soft hover:text-ink aria-[current]:border-ink aria-[current]:text-ink"
              >
                {t(`preset.${pair.id}`)}
              </Link>
            );
          })}
        </nav>
      )}
      <EvidencePanels before={side('before')} after={side('after')} />
    </div>
  );
}
