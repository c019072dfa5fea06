import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import { costOf, hasFreshKey } from '#lib/drill/cost.ts';
import type { Lab } from '#lib/labs/contract.ts';
import { branchPoints } from '#lib/operations/branch-run.ts';
import type { RunView } from '#lib/operations/model.ts';
import { replayOf } from '#lib/operations/replay-run.ts';
import { compareQuery } from '../../compare/search-params.ts';
import { Branch } from './branch.tsx';
import { ReplayForm } from './replay-form.tsx';
import { type DrillParams, settingsQuery } from './search-params.ts';

interface Props {
  run: RunView;
  lab: Lab;
  params: DrillParams;
  /** Label of the step that is looked at. */
  at: string | null;
  locale: string;
}

const compareHref = (a: string, b: string): string => `/compare${compareQuery({ runs: [a, b], step: null })}`;

/** A case that came from elsewhere: what wrote it, and what a replay here came to. */
export async function ImportedNotice({ run }: { run: RunView }) {
  if (!run.imported) return null;
  const t = await getTranslations('case');
  const replayed = await replayOf(run.id);
  const { version, sameCode, node, sqlite } = run.imported;
  return (
    <section aria-label={t('imported')} className="card mb-4 grid gap-2 px-4 py-3.5 sm:px-5">
      <p>
        {t('importedLead')} {!replayed && t('notRun')}{' '}
        <span className="text-soft">{t(sameCode ? 'sameCode' : 'otherCode', { version, node, sqlite })}</span>
      </p>
      {replayed && (
        <p className={replayed.result.equal ? 'text-receipt' : 'text-crash'}>
          <span aria-hidden="true">{replayed.result.equal ? '✓ ' : '✕ '}</span>
          {replayed.result.says}{' '}
          <Link className="link" href={compareHref(run.id, replayed.run)}>
            {t('compareReplay')}
          </Link>
        </p>
      )}
      <ReplayForm
        run={run.id}
        texts={{ button: t(replayed ? 'replayAgain' : 'replay'), working: t('replaying') }}
      />
    </section>
  );
}

async function Branches({ run }: { run: RunView }) {
  if (run.branches.length === 0) return null;
  const t = await getTranslations('case');
  return (
    <section aria-label={t('branches')} className="card px-4 py-3.5 sm:px-5">
      <h2 className="text-[13px] font-semibold">{t('branches')}</h2>
      <ul className="mt-1 grid gap-1 text-sm">
        {run.branches.map((branch) => (
          <li key={branch.run} className="flex flex-wrap gap-x-3">
            <Link className="link" href={`/runs/${branch.run}`}>
              {branch.title}
            </Link>
            <Link className="link text-soft" href={compareHref(run.id, branch.run)}>
              {t('compareBranch')}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What the decisions of a branch cost, in plain words, beside what its origin came to. */
async function Costs({ run, lab }: { run: RunView; lab: Lab }) {
  const costs = run.origin ? costOf(lab, run.steps) : [];
  if (!run.origin || costs.length === 0) return null;
  const t = await getTranslations('case');
  return (
    <div role="note" className="rounded-[10px] bg-crash-bg px-4 py-2.5">
      <p className="text-crash">
        {t('cost')} <strong className="font-[620]">{costs.join('; ')}</strong>.
      </p>
      {run.verdict === 'holds' && (
        <p className="mt-0.5 max-w-[75ch] text-sm">{t(hasFreshKey(run.steps) ? 'costFresh' : 'costHolds')}</p>
      )}
    </div>
  );
}

async function BranchButton({ run, lab, params, at, locale }: Props) {
  const t = await getTranslations('branch');
  const points = branchPoints(lab, run.steps);
  if (points.length === 0) return null;
  const names = [
    'button',
    'title',
    'lead',
    'step',
    'choice',
    'same',
    'sameHint',
    'fresh',
    'freshHint',
    'none',
    'noneHint',
    'rules',
    'confirm',
    'nothing',
    'cancel',
    'working',
  ] as const;
  const texts = Object.fromEntries(names.map((name) => [name, t(name)])) as Record<
    (typeof names)[number],
    string
  >;
  if (!points.some((point) => point.same || point.fresh)) {
    texts.button = t('plainButton');
    texts.title = t('plainButton');
  }
  const died = run.steps.findLast((step) => step.fault.fired.length > 0)?.label;
  const wanted = [died, at].find((label) => points.some((point) => point.label === label));
  return (
    <Branch
      run={run.id}
      settings={settingsQuery(params)}
      steps={points.map((point) => ({
        ...point,
        text: `${run.steps.findIndex(({ label }) => label === point.label) + 1} ${point.label}`,
      }))}
      at={wanted ?? points.at(-1)?.label ?? ''}
      safeguards={lab.safeguards
        .filter(({ name }) => !run.without.includes(name))
        .map(({ name, prevents }) => ({ name, prevents: prevents }))}
      texts={texts}
    />
  );
}

/** Everything that can be done with a run as a whole: branch, compare, export, save as a scenario. */
export async function CaseTools(props: Props) {
  const { run, lab } = props;
  if (run.steps.length === 0) return null;
  const t = await getTranslations('case');
  const origin = (run.originDeleted ? null : run.origin?.run) ?? run.replays;
  return (
    <div className="mb-4 grid gap-3">
      <Costs run={run} lab={lab} />
      <nav aria-label={t('tools')} className="no-print flex flex-wrap items-center gap-2">
        {!run.imported && <BranchButton {...props} />}
        {origin && (
          <Link className="button" href={compareHref(origin, run.id)}>
            {t(run.replays ? 'compareImported' : 'compareOrigin')}
          </Link>
        )}
        <a className="button" href={`/runs/${run.id}/export`} download>
          {t('export')}
        </a>
        <Link className="button" href={`/runs/${run.id}/save`}>
          {t('save')}
        </Link>
      </nav>
      <Branches run={run} />
    </div>
  );
}
