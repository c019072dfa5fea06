import type { Metadata } from 'next';
import Link from 'next/link';
import { listInvestigations, type OpenInvestigation } from '#lib/operations/list-investigations.ts';
import { Chip } from '../_ui/chip.tsx';
import { InlineCode } from '../runs/[runId]/inline-code.tsx';
import { takeOver } from './actions.ts';

export const metadata: Metadata = { title: 'Investigations' };
export const dynamic = 'force-dynamic';

function Owner({ run, operation, owner }: OpenInvestigation) {
  const id = `owner-${run}-${operation}`;
  return (
    <form action={takeOver} className="flex flex-wrap items-center gap-2">
      <input type="hidden" name="run" value={run} />
      <input type="hidden" name="operation" value={operation} />
      <label htmlFor={id} className="text-sm text-soft">
        Who looks into it
      </label>
      <input id={id} name="owner" defaultValue={owner} maxLength={80} className="field w-44" />
      <button type="submit" className="button">
        Save
      </button>
    </form>
  );
}

function Entry(one: OpenInvestigation) {
  const { run, title, lab, operation, effect, since, missing, where, runbook } = one;
  const heading = `case-${run}-${operation}`;
  // The evidence before and after the step that left it open, beside each other.
  const href = since === null ? `/runs/${run}` : `/runs/${run}?after=${encodeURIComponent(since)}`;
  return (
    <li>
      <article
        aria-labelledby={heading}
        className="card grid grid-cols-[minmax(0,1fr)] gap-3 px-4 py-4 sm:px-5"
      >
        <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
          <h2 id={heading} className="min-w-0 text-base font-[620] wrap-anywhere">
            <code>{operation}</code>
          </h2>
          <Chip tone="unknown">
            <span aria-hidden="true">?</span> effect unknown
          </Chip>
        </div>
        <dl className="grid grid-cols-[minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm sm:grid-cols-[150px_minmax(0,1fr)]">
          <dt className="text-soft">Run</dt>
          <dd>
            <Link className="link" href={href}>
              {title}
            </Link>{' '}
            <span className="text-faint">lab {lab}</span>
          </dd>
          <dt className="text-soft">Open since</dt>
          <dd>{since === null ? 'the last step' : `step ${since}`}</dd>
          <dt className="text-soft">In doubt</dt>
          <dd>
            <InlineCode text={effect} />
          </dd>
          <dt className="text-soft">Missing evidence</dt>
          <dd>
            <InlineCode text={missing} />
          </dd>
          <dt className="text-soft">Where to look</dt>
          <dd>
            <InlineCode text={where} />
          </dd>
        </dl>
        {runbook.length > 0 && (
          <details>
            <summary className="text-sm font-[550]">Runbook</summary>
            <ol className="mt-2 grid list-decimal gap-1 pl-5 text-sm text-soft">
              {runbook.map((line) => (
                <li key={line}>
                  <InlineCode text={line} />
                </li>
              ))}
            </ol>
          </details>
        )}
        <Owner {...one} />
      </article>
    </li>
  );
}

export default async function InvestigationsPage() {
  const open = await listInvestigations();
  return (
    <div className="mx-auto max-w-[920px] px-4 pt-6 pb-20 sm:px-7 sm:pt-8">
      <h1 className="text-[24px] font-[660] tracking-tight sm:text-[28px]">Investigations</h1>
      <p className="mt-1 mb-5 max-w-[70ch] text-soft">
        Operations whose effect the evidence does not decide. Open the run, look where the entry says, and
        record what you found: in free play, the command <code>resolve</code> takes your decision with what
        you looked at and what it showed.
      </p>
      {open.length === 0 ? (
        <p className="card px-4 py-6 text-center text-soft sm:px-5">
          Nothing is open. Run a drill that ends with effect unknown, such as{' '}
          <Link className="link" href="/scenarios/receipt/ownership-unknown">
            receipt/ownership-unknown
          </Link>
          , and it appears here.
        </p>
      ) : (
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-3">
          {open.map((one) => (
            <Entry key={`${one.run}/${one.operation}`} {...one} />
          ))}
        </ul>
      )}
    </div>
  );
}
