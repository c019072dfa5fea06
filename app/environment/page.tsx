import type { Metadata } from 'next';
import { getLocale, getTranslations } from 'next-intl/server';
import { environment, type Fact } from '#lib/operations/environment.ts';
import { Chip } from '../_ui/chip.tsx';
import type { Tone } from '../_ui/step-facts.ts';
import { InlineCode } from '../runs/[runId]/inline-code.tsx';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('environment'))('title') };
}

// Versions and disks change between two looks; a page from the build would tell of the build's machine.
export const dynamic = 'force-dynamic';

const TONE: Record<Fact['status'], Tone> = { ok: 'ok', warn: 'unknown', fail: 'crash' };
const SIGN: Record<Fact['status'], string> = { ok: '✓', warn: '!', fail: '✕' };

export default async function EnvironmentPage() {
  const [t, locale, found] = await Promise.all([getTranslations('environment'), getLocale(), environment()]);
  return (
    <div className="mx-auto max-w-[920px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <h1 className="text-[24px] font-[660] tracking-tight sm:text-[28px]">{t('title')}</h1>
      <p className="mt-1 mb-5 text-soft">{t(`lead.${found.status}`)}</p>
      <dl className="card">
        {found.facts.map((fact) => (
          <div
            key={fact.id}
            className="grid gap-x-4 gap-y-1 border-t border-line-soft px-4 py-3 first:border-0 sm:grid-cols-[170px_minmax(0,1fr)_auto] sm:px-5"
          >
            <dt className="font-[560]">{fact.title}</dt>
            <dd className="min-w-0">
              <code className="wrap-anywhere">{fact.value}</code>
              <span className="block text-[13.5px] wrap-anywhere text-soft">{fact.detail}</span>
            </dd>
            <dd className="sm:text-right">
              <Chip tone={TONE[fact.status]}>
                <span aria-hidden="true">{SIGN[fact.status]}</span> {t(`status.${fact.status}`)}
              </Chip>
            </dd>
          </div>
        ))}
      </dl>
      <h2 className="mt-10 text-lg font-[640] tracking-tight">{t('provesNot')}</h2>
      <p className="mt-1 text-soft">{t('provesNotLead')}</p>
      {found.provesNot.map((lab) => (
        <section key={lab.lab} aria-labelledby={`not-${lab.lab}`} className="mt-4">
          <h3 id={`not-${lab.lab}`} className="font-[560]">
            {lab.title}
          </h3>
          <ul className="mt-1 grid list-disc gap-1 pl-5 text-[14.5px] text-soft">
            {lab.invariants.map((invariant) => (
              <li key={invariant}>
                <InlineCode text={invariant} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
