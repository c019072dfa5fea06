import type { Metadata } from 'next';
import Link from 'next/link';
import { getLab } from '#lib/labs/registry.ts';
import { listInvestigations, type OpenInvestigation } from '#lib/operations/list-investigations.ts';
import { drillQuery } from '../runs/[runId]/search-params.ts';

export const metadata: Metadata = { title: 'Investigations' };
export const dynamic = 'force-dynamic';

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-[12.5px] text-faint">{name}</dt>
      <dd className="max-w-[75ch] wrap-anywhere">{children}</dd>
    </div>
  );
}

function Open({ one }: { one: OpenInvestigation }) {
  const resolves = getLab(one.lab).commands.some(({ name }) => name === 'resolve');
  const href = `/runs/${one.run}${drillQuery({ after: one.since })}`;
  return (
    <li className="card px-4 py-4 sm:px-5">
      <h3 className="font-[620] tracking-tight wrap-anywhere">
        <code>{one.operation}</code>
      </h3>
      <p className="mt-0.5 text-[13.5px] text-soft">
        <Link className="link" href={href}>
          {one.title}
        </Link>
        {one.since && <> · open since step “{one.since}”</>}
        {one.owner && <> · with {one.owner}</>}
      </p>
      <dl className="mt-3 grid gap-x-8 gap-y-2.5 text-sm md:grid-cols-3">
        <Fact name="Nobody knows">{one.effect}</Fact>
        <Fact name="Missing evidence">{one.missing}</Fact>
        <Fact name="Where to look">{one.where}</Fact>
      </dl>
      {one.runbook.length > 0 && (
        <details className="mt-3 text-sm">
          <summary className="font-[560]">What to do, in order</summary>
          <ol className="mt-1.5 grid list-decimal gap-1 pl-6">
            {one.runbook.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
        </details>
      )}
      <p className="mt-3 flex flex-wrap gap-2">
        <Link className="button" href={href}>
          Show the evidence
        </Link>
        {resolves && (
          <Link className="button" href={`/runs/${one.run}#free-play`}>
            Record a decision
          </Link>
        )}
      </p>
    </li>
  );
}

/** Over all runs: what nobody could decide, and how somebody can. */
export default async function InvestigationsPage() {
  const open = await listInvestigations();
  return (
    <div className="mx-auto max-w-[1120px] px-4 pt-8 pb-20 sm:px-7 sm:pt-11">
      <h1 className="mb-2 text-[27px] leading-[1.15] font-[680] tracking-[-0.025em] sm:text-[34px]">
        Investigations
      </h1>
      <p className="mb-7 max-w-[42em] text-[17px] text-soft">
        Operations whose effect the evidence leaves unknown. A retry could repeat them and giving up could
        lose them, so a person has to look.
      </p>
      {open.length === 0 ? (
        <p className="text-soft">
          Nothing is open. An operation appears here when a run ends with a decision to investigate.
        </p>
      ) : (
        <>
          <h2 className="mb-2 text-[15px] font-semibold">{open.length} open</h2>
          <ul className="grid gap-3">
            {open.map((one) => (
              <Open key={`${one.run} ${one.operation}`} one={one} />
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
