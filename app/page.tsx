import Link from 'next/link';
import { getLocale, getTranslations } from 'next-intl/server';
import { getScenario } from '#lib/drill/scenario.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { getLab } from '#lib/labs/registry.ts';
import { type CatalogueEntry, type CatalogueLab, catalogue } from '#lib/operations/catalogue.ts';
import { Chip, DECISION_TONE } from './_ui/chip.tsx';
import { ScenarioMap } from './_ui/commit-map/scenario-map.tsx';
import { StartForm } from './_ui/start-form.tsx';
import { Pairs } from './pairs.tsx';
import { type CatalogueParams, parseCatalogueParams } from './search-params.ts';
import { Yours } from './yours.tsx';

const FIRST = { lab: 'receipt', scenario: 'receipt/lost-ack' };

async function StartHere() {
  const [t, locale] = await Promise.all([getTranslations('catalogue'), getLocale()]);
  const scenario = getScenario(FIRST.scenario);
  const text = scenario.text;
  const crashes = scenario.steps.filter((step) => step.fault).length;
  return (
    <section
      aria-labelledby="start-here"
      className="card mb-10 grid items-center gap-x-8 gap-y-5 p-5 sm:p-6 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.4fr)] lg:[&_svg]:h-auto lg:[&_svg]:max-w-full"
    >
      <div>
        <p className="text-[12.5px] font-[550] text-faint">{t('startHere')}</p>
        <h2 id="start-here" className="mt-0.5 mb-1.5 text-xl font-[640] tracking-tight">
          <Link href={`/scenarios/${scenario.id}`} className="hover:underline">
            {text.title}
          </Link>
        </h2>
        <p className="mb-4 text-soft">{text.story}</p>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <StartForm name="scenario" value={scenario.id} main>
            {t('start')}
          </StartForm>
          <span className="text-[13px] text-faint">
            {t('size', { steps: scenario.steps.length, crashes })}
          </span>
        </div>
      </div>
      <ScenarioMap scenario={scenario} lab={getLab(FIRST.lab)} />
    </section>
  );
}

async function Outcome({ entry }: { entry: CatalogueEntry }) {
  const t = await getTranslations('catalogue');
  if (!entry.tried) return <Chip>{t('notTried')}</Chip>;
  if (!entry.finished) return <Chip>{t('begun')}</Chip>;
  return (
    <span className="flex flex-wrap gap-1">
      {entry.verdict !== 'holds' && entry.verdict !== null && (
        <Chip tone={entry.verdict === 'violated' ? 'crash' : 'unknown'}>{t(`verdict.${entry.verdict}`)}</Chip>
      )}
      {entry.counterexample ? (
        <Chip tone="crash">{t('counterexample')}</Chip>
      ) : (
        entry.decision && <Chip tone={DECISION_TONE[entry.decision]}>{t(`decision.${entry.decision}`)}</Chip>
      )}
    </span>
  );
}

async function Entry({ entry, locale }: { entry: CatalogueEntry; locale: string }) {
  const t = await getTranslations('catalogue');
  const text = entry.text;
  return (
    <li className="relative grid gap-x-5 gap-y-1.5 border-t border-line-soft px-4 py-3.5 first:border-0 hover:bg-line-soft/60 sm:px-5 md:grid-cols-[minmax(0,1fr)_210px_190px] md:items-center">
      <div>
        <h3 className="font-[560]">
          <Link href={`/scenarios/${entry.id}`} className="after:absolute after:inset-0">
            {text.title}
          </Link>
        </h3>
        <p className="text-[13.5px] text-soft">{text.question}</p>
      </div>
      <p className="text-[13px] wrap-anywhere">
        {entry.boundaries.length > 0 && <span className="sr-only">{t('stopsAt')} </span>}
        {entry.boundaries.map((name, index) => (
          <span key={name}>
            {index > 0 && ', '}
            <code>{name}</code>
          </span>
        ))}
        {entry.without.length > 0 && (
          <span className="block text-[12.5px] text-faint">
            {t('without', { names: entry.without.join(', ') })}
          </span>
        )}
        {entry.damage && <span className="block text-[12.5px] text-faint">{t('damage')}</span>}
      </p>
      <Outcome entry={entry} />
    </li>
  );
}

/** The scenarios that a workshop goes through first; the others behind them, one click away. */
async function Entries({ lab, locale, all }: { lab: CatalogueLab; locale: string; all: boolean }) {
  const t = await getTranslations('catalogue');
  const list = (entries: CatalogueEntry[]) => (
    <ul>
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} locale={locale} />
      ))}
    </ul>
  );
  const first = all ? lab.scenarios.length : getLab(lab.id).playlist.length;
  const others = lab.scenarios.slice(first);
  return (
    <div className="card overflow-hidden">
      {list(lab.scenarios.slice(0, first))}
      {others.length > 0 && (
        <details className="border-t border-line-soft">
          <summary className="px-4 py-3 text-sm font-[550] text-soft hover:bg-line-soft/60 sm:px-5">
            {t('others', { count: others.length })}
            <span className="sr-only"> ({lab.title})</span>
          </summary>
          <div className="border-t border-line-soft">{list(others)}</div>
        </details>
      )}
    </div>
  );
}

/** Rules that free play can do without, to see what they prevent. */
async function Rules({ lab, locale }: { lab: Lab; locale: string }) {
  const t = await getTranslations('catalogue');
  return (
    <details className="mt-2 max-w-[68ch]">
      <summary className="text-sm text-soft">
        {t('rules')} <span className="sr-only">({lab.title})</span>
      </summary>
      <ul className="card mt-2 grid gap-1.5 px-4 py-3 text-sm">
        {lab.safeguards.map(({ name, prevents }) => (
          <li key={name}>
            <label className="flex gap-2.5">
              <input type="checkbox" name="without" value={name} className="mt-1 accent-ledger" />
              <span className="min-w-0">
                <code className="wrap-anywhere">{name}</code> <span className="text-soft">{prevents}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

async function LabSection({ lab, locale, all }: { lab: CatalogueLab; locale: string; all: boolean }) {
  const t = await getTranslations('catalogue');
  if (lab.scenarios.length === 0) return null;
  return (
    <section aria-labelledby={`lab-${lab.id}`} className="mt-9">
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3.5 gap-y-1">
        <h2 id={`lab-${lab.id}`} className="text-[17px] font-semibold tracking-tight">
          {lab.title}
        </h2>
        <p className="text-sm text-soft">{lab.summary}</p>
        <span className="text-[13px] text-faint sm:ml-auto">
          {t('count', { count: lab.scenarios.length })}
        </span>
      </header>
      <Entries lab={lab} locale={locale} all={all} />
      <div className="mt-2 flex flex-wrap items-start gap-x-4 gap-y-2">
        <StartForm name="lab" value={lab.id} fields={<Rules lab={getLab(lab.id)} locale={locale} />}>
          {t('freePlay')} <span className="sr-only">({lab.title})</span>
        </StartForm>
        <Link href={`/labs/${lab.id}/notes`} className="link py-2 text-sm text-soft">
          {t('notes')}
          <span className="sr-only">: {lab.title}</span>
        </Link>
      </div>
    </section>
  );
}

async function Filters({ params, boundaries }: { params: CatalogueParams; boundaries: string[] }) {
  const t = await getTranslations('catalogue');
  return (
    <form
      action="/"
      aria-label={t('filters')}
      className="flex flex-wrap items-end gap-2 text-[13px] text-soft"
    >
      <label className="grid min-w-0 gap-1">
        {t('boundary')}
        <select name="boundary" defaultValue={params.boundary ?? ''} className="field">
          <option value="">{t('anyBoundary')}</option>
          {boundaries.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label className="grid min-w-0 gap-1">
        {t('tried')}
        <select name="tried" defaultValue={params.tried ?? ''} className="field">
          <option value="">{t('triedOrNot')}</option>
          <option value="yes">{t('triedYes')}</option>
          <option value="no">{t('triedNo')}</option>
        </select>
      </label>
      <button type="submit" className="button">
        {t('filter')}
      </button>
      {(params.boundary || params.tried) && (
        <Link href="/" className="link self-center py-1">
          {t('clear')}
        </Link>
      )}
    </form>
  );
}

function matches(entry: CatalogueEntry, { boundary, tried }: CatalogueParams): boolean {
  if (boundary !== null && !entry.boundaries.includes(boundary)) return false;
  return tried === null || entry.tried === (tried === 'yes');
}

export default async function CataloguePage(props: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const params = parseCatalogueParams(await props.searchParams);
  const [t, locale, labs] = await Promise.all([getTranslations('catalogue'), getLocale(), catalogue()]);
  const filtered = params.boundary !== null || params.tried !== null;
  const boundaries = [
    ...new Set(labs.flatMap((lab) => lab.scenarios.flatMap((entry) => entry.boundaries))),
  ].sort();
  const shown = labs.map((lab) => ({
    ...lab,
    scenarios: lab.scenarios.filter((entry) => matches(entry, params)),
  }));
  return (
    <div className="mx-auto max-w-[1120px] px-4 pt-8 pb-20 sm:px-7 sm:pt-11">
      <h1 className="mb-2.5 max-w-[20em] text-[27px] leading-[1.15] font-[680] tracking-[-0.025em] sm:text-[34px]">
        {t('title')}
      </h1>
      <p className="mb-7 max-w-[42em] text-[17px] text-soft">{t('lead')}</p>
      <StartHere />
      <Pairs />
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
        <Filters params={params} boundaries={boundaries} />
        <nav aria-label={t('labs')} className="flex flex-wrap gap-x-4 gap-y-1 pb-1.5 text-sm text-soft">
          {shown
            .filter((lab) => lab.scenarios.length > 0)
            .map((lab) => (
              <a key={lab.id} href={`#lab-${lab.id}`} className="link">
                {lab.title}
              </a>
            ))}
        </nav>
      </div>
      <Yours locale={locale} />
      {shown.every((lab) => lab.scenarios.length === 0) && <p className="mt-8 text-soft">{t('nothing')}</p>}
      {shown.map((lab) => (
        <LabSection key={lab.id} lab={lab} locale={locale} all={filtered} />
      ))}
    </div>
  );
}
