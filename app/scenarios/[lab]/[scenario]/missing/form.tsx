import { getTranslations } from 'next-intl/server';
import type { Scenario } from '#lib/drill/model.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { NOTHING_BREAKS } from '#lib/operations/run-without.ts';
import { ActionForm } from '../../../../matrix/_parts/action-form.tsx';
import { tryWithout } from './actions.ts';

interface Props {
  scenario: Scenario;
  lab: Lab;
  locale: string;
}

/** "What if this rule were missing?": the switches, and the question that comes before the answer. */
export async function MissingRule({ scenario, lab, locale }: Props) {
  const t = await getTranslations('missing');
  const offered = lab.safeguards.filter(({ name }) => !scenario.without?.includes(name));
  if (offered.length === 0) return null;
  return (
    <details className="card px-4 py-3.5 sm:px-5">
      <summary className="text-[13px] font-semibold">{t('title')}</summary>
      <p className="mt-1 mb-3 text-sm text-soft">{t('lead')}</p>
      <ActionForm
        action={tryWithout}
        fields={{ scenario: scenario.id }}
        button={t('run')}
        working={t('running')}
        main
        className="grid gap-4 [&>button]:w-fit"
      >
        <fieldset>
          <legend className="mb-1 text-sm font-[560]">{t('rules')}</legend>
          <ul className="grid gap-1 text-sm">
            {offered.map(({ name, prevents }) => (
              <li key={name}>
                <label className="flex items-baseline gap-2">
                  <input type="checkbox" name="without" value={name} />
                  <span>
                    <code>{name}</code> <span className="text-soft">{prevents}</span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        </fieldset>
        <fieldset>
          <legend className="mb-1 text-sm font-[560]">{t('whichBreaks')}</legend>
          <ul className="grid gap-1 text-sm">
            {lab.invariants.map(({ id, says }) => (
              <li key={id}>
                <label className="flex items-baseline gap-2">
                  <input type="radio" name="said" value={id} required />
                  {says}
                </label>
              </li>
            ))}
            <li>
              <label className="flex items-baseline gap-2">
                <input type="radio" name="said" value={NOTHING_BREAKS} required />
                {t('nothing')}
              </label>
            </li>
          </ul>
        </fieldset>
      </ActionForm>
    </details>
  );
}
