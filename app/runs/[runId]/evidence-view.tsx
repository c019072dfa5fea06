import { getTranslations } from 'next-intl/server';
import { askable } from '#lib/evidence/unasked.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { Pill } from '../../_ui/pill.tsx';
import { crashed } from '../../_ui/step-facts.ts';
import { besideOf } from './beside.tsx';
import { EvidencePanels, type Side } from './evidence.tsx';
import { everThere } from './known.ts';
import { type Pins, presets } from './pins.ts';
import { type DrillParams, drillQuery } from './search-params.ts';

interface Props {
  run: RunView;
  lab: Lab;
  params: DrillParams;
  pins: Pins;
  locale: string;
  /** A question is open: only what the one who decides could read. */
  hidden: boolean;
}

const labelAt = (run: RunView, position: number | null): string | null =>
  position === null ? null : (run.steps[position]?.label ?? null);

/** One of the two columns: its step, what was found after it, and where another choice leads. */
export function sideOf(
  { run, lab, params, pins, locale, hidden }: Props,
  name: Side['name'],
  crashedNote: (command: string) => string,
): Side {
  const position = pins[name];
  const { unasked = [] } = lab;
  const history = position === null ? [] : run.steps.slice(0, position + 1);
  const step = position === null ? undefined : run.steps[position];
  const other =
    name === 'before' ? { after: labelAt(run, pins.after) } : { before: labelAt(run, pins.before) };
  return {
    name,
    step:
      step && position !== null
        ? {
            number: position + 1,
            label: step.label,
            note: crashed(step) ? crashedNote(step.command) : step.command,
          }
        : null,
    evidence: step?.evidence && hidden ? askable(step.evidence, unasked) : (step?.evidence ?? null),
    stores: everThere(lab.stores, history).filter(({ id }) => !hidden || !unasked.includes(id)),
    headlines: lab.headlines,
    beside: besideOf(lab, history, locale),
    options: run.steps.map((one, index) => ({
      label: one.label,
      text: `${index + 1} ${one.label}`,
      href: `/runs/${run.id}${drillQuery({ ...params, ...other, [name]: one.label })}`,
    })),
  };
}

/** Before and After with the pairs worth a click. */
export async function EvidenceView({ run, lab, params, pins, locale, hidden }: Props) {
  const t = await getTranslations('drill');
  const { steps } = run;
  const label = (position: number | null) => labelAt(run, position);
  const base = `/runs/${run.id}`;
  const side = (name: Side['name']) =>
    sideOf({ run, lab, params, pins, locale, hidden }, name, (command) => t('crashedNote', { command }));
  const pairs = presets(steps, lab.commands);
  return (
    <div>
      {pairs.length > 0 && (
        <nav aria-label={t('presets')} className="no-print mb-2 flex flex-wrap gap-1.5 text-[13px]">
          {pairs.map((pair) => {
            const here = label(pins.before) === pair.before && label(pins.after) === pair.after;
            return (
              <Pill
                key={pair.id}
                href={base + drillQuery({ ...params, before: pair.before, after: pair.after })}
                current={here}
              >
                {t(`preset.${pair.id}`)}
              </Pill>
            );
          })}
        </nav>
      )}
      <EvidencePanels before={side('before')} after={side('after')} />
    </div>
  );
}
