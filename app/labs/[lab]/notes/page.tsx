import type { Metadata } from 'next';
import Link from 'next/link';
import { notFound } from 'next/navigation';
import { getLocale, getTranslations } from 'next-intl/server';
import { scenariosOf } from '#lib/drill/scenario.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { labs } from '#lib/labs/registry.ts';
import { labNotes } from '#lib/operations/lab-notes.ts';
import { InlineCode } from '../../../runs/[runId]/inline-code.tsx';
import { Notes } from './blocks.tsx';

interface Props {
  params: Promise<{ lab: string }>;
}

async function load({ params }: Props): Promise<Lab> {
  const { lab: id } = await params;
  return labs.find((lab) => lab.id === id) ?? notFound();
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  const [lab, t, locale] = await Promise.all([load(props), getTranslations('notes'), getLocale()]);
  return { title: t('title', { lab: lab.title }) };
}

async function Playlist({ lab, locale }: { lab: Lab; locale: string }) {
  const t = await getTranslations('notes');
  const scenarios = new Map(scenariosOf(lab.id).map((scenario) => [scenario.id, scenario]));
  const total = lab.playlist.reduce((sum, { minutes }) => sum + minutes, 0);
  return (
    <section aria-labelledby="playlist" className="card mb-6 px-4 py-3.5 sm:px-5">
      <h2 id="playlist" className="text-[13px] font-semibold">
        {t('playlist', { minutes: total })}
      </h2>
      <ol className="mt-1">
        {lab.playlist.map(({ scenario: id, minutes }, index) => {
          const scenario = scenarios.get(id);
          const text = scenario ? scenario.text : null;
          return (
            <li
              key={id}
              className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-baseline gap-x-3 border-t border-line-soft py-2 first:border-0"
            >
              <span className="text-right text-faint tabular-nums">{index + 1}</span>
              <span>
                <Link href={`/scenarios/${id}`} className="link font-[560]">
                  {text?.title ?? id}
                </Link>
                {text && (
                  <span className="block text-sm text-soft">
                    <InlineCode text={text.question} />
                  </span>
                )}
              </span>
              <span className="text-[13px] text-soft tabular-nums">{t('minutes', { minutes })}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** What to ask, what people usually answer, what to show then, and what the lab does not prove. */
export default async function NotesPage(props: Props) {
  const [lab, t, locale] = await Promise.all([load(props), getTranslations('notes'), getLocale()]);
  const source = labNotes(lab.id);
  return (
    <div className="mx-auto max-w-[960px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <p className="text-[13px] text-faint">
        <Link href={`/#lab-${lab.id}`} className="link">
          {lab.title}
        </Link>
      </p>
      <h1 className="my-1 text-[24px] font-[660] tracking-tight sm:text-[28px]">
        {t('title', { lab: lab.title })}
      </h1>
      <p className="mb-5 text-soft">{t('lead')}</p>
      <Playlist lab={lab} locale={locale} />
      {source === null ? <p className="text-soft">{t('none')}</p> : <Notes source={source} />}
      <section aria-labelledby="proves-not" className="mt-8 text-sm text-soft">
        <h2 id="proves-not" className="text-[13px] font-semibold text-ink">
          {t('provesNot')}
        </h2>
        <ul className="mt-1 grid list-disc gap-1 pl-5">
          {lab.provesNot.map((invariant) => (
            <li key={invariant}>
              <InlineCode text={invariant} />
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
