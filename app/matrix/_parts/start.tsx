import { getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import { beginSweep } from '../actions.ts';
import { ActionForm } from './action-form.tsx';

/** Begins a matrix: how many faults in a cell, and which rules are missing. */
export async function StartMatrix({ lab, locale }: { lab: Lab; locale: string }) {
  const t = await getTranslations('matrix');
  return (
    <ActionForm
      action={beginSweep}
      fields={{ kind: 'matrix', lab: lab.id }}
      button={t('start')}
      working={t('starting')}
      main
      className="mb-5 flex flex-wrap items-end gap-3"
    >
      <label className="grid min-w-0 gap-1 text-[13px] text-soft">
        {t('depth')}
        <select name="depth" defaultValue="1" className="field">
          {[1, 2, 3].map((depth) => (
            <option key={depth} value={depth}>
              {t('depthOption', { depth })}
            </option>
          ))}
        </select>
      </label>
      <details className="w-full text-sm">
        <summary className="text-soft">{t('switchOff')}</summary>
        <ul className="mt-2 grid gap-1">
          {lab.safeguards.map(({ name, prevents }) => (
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
      </details>
    </ActionForm>
  );
}
