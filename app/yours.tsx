import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { ownScenarios } from '#lib/operations/own-scenarios.ts';
import { RemoveScenario } from './remove-scenario.tsx';

/** Scenarios of the person's own, and files that hold none, each with its place. */
export async function Yours({ locale }: { locale: string }) {
  const { scenarios, broken } = ownScenarios();
  if (scenarios.length + broken.length === 0) return null;
  const t = await getTranslations('yours');
  return (
    <section aria-labelledby="yours" className="mt-9">
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3.5 gap-y-1">
        <h2 id="yours" className="text-[17px] font-semibold tracking-tight">
          {t('title')}
        </h2>
        <p className="text-sm text-soft">{t('lead')}</p>
      </header>
      {scenarios.length > 0 && (
        <ul className="card overflow-hidden">
          {scenarios.map((scenario) => {
            const text = scenario.text;
            return (
              <li
                key={scenario.id}
                className="flex flex-wrap items-center gap-x-5 gap-y-1 border-t border-line-soft px-4 py-3.5 first:border-0 sm:px-5"
              >
                <div className="min-w-0 flex-1 basis-60">
                  <h3 className="font-[560]">
                    <Link href={`/scenarios/${scenario.id}`} className="hover:underline">
                      {text.title}
                    </Link>
                  </h3>
                  <p className="text-[13.5px] text-soft">{text.question}</p>
                </div>
                <code className="text-[13px] wrap-anywhere text-faint">{scenario.id}</code>
                <RemoveScenario
                  id={scenario.id}
                  title={text.title}
                  texts={{ button: t('remove'), label: t('removeLabel', { title: text.title }) }}
                />
              </li>
            );
          })}
        </ul>
      )}
      {broken.map(({ file, fault }) => (
        <p key={file} className="mt-2 text-sm wrap-anywhere text-crash">
          {t('broken', { file, line: fault.line, column: fault.column, message: fault.message })}
        </p>
      ))}
    </section>
  );
}
