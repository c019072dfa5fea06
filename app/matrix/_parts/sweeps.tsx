import Link from 'next/link';
import { getFormatter, getTranslations } from 'next-intl/server';
import type { ListedSweep } from '#lib/operations/get-sweep.ts';
import { Chip, ResultChip } from '../../_ui/chip.tsx';
import { DeleteButton } from '../../_ui/delete-button.tsx';
import { removeSweep } from '../actions.ts';
import { matrixQuery, NEWEST } from '../search-params.ts';

interface Props {
  sweeps: readonly ListedSweep[];
  /** Id of the one that the page shows. */
  shown: string | undefined;
  /** The page without a query: it shows the newest. */
  path: string;
}

async function Delete({ id, when, leaveTo }: { id: string; when: string; leaveTo: string | null }) {
  const t = await getTranslations('matrix.sweeps.delete');
  return (
    <DeleteButton
      id={id}
      remove={removeSweep}
      leaveTo={leaveTo}
      className="-mr-2 rounded-md px-2 py-0.5 text-[13px] text-soft hover:text-crash"
      texts={{
        button: t('button'),
        label: t('label', { when }),
        title: t('title'),
        body: t('body', { when }),
        confirm: t('confirm'),
        cancel: t('cancel'),
      }}
    />
  );
}

async function Sweep({ sweep, shown, path }: { sweep: ListedSweep } & Omit<Props, 'sweeps'>) {
  const [t, format] = await Promise.all([getTranslations('matrix'), getFormatter()]);
  const when = format.dateTime(new Date(sweep.createdAt), { dateStyle: 'medium', timeStyle: 'medium' });
  const current = sweep.id === shown;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 border-t border-line-soft py-1.5 first:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Link
          href={`${path}${matrixQuery({ ...NEWEST, sweep: sweep.id })}`}
          aria-current={current ? 'true' : undefined}
          className="link tabular-nums aria-[current]:font-[560]"
        >
          <time dateTime={sweep.createdAt}>{when}</time>
        </Link>
        <span className="text-soft">{t(`layer.${sweep.kind}`, { depth: sweep.depth })}</span>
        {sweep.verdict ? (
          <ResultChip result={sweep.verdict}>{t(`verdict.${sweep.verdict}`)}</ResultChip>
        ) : (
          <Chip>{t(`sweeps.state.${sweep.state}`)}</Chip>
        )}
        {sweep.without.length > 0 && (
          <span className="min-w-0 wrap-anywhere text-unknown">
            {t('sweeps.without', { names: sweep.without.join(', ') })}
          </span>
        )}
      </div>
      {sweep.state !== 'running' && <Delete id={sweep.id} when={when} leaveTo={current ? path : null} />}
    </li>
  );
}

/** Every sweep of a lab, newest first, to be shown or deleted. */
export async function Sweeps({ sweeps, shown, path }: Props) {
  if (sweeps.length === 0) return null;
  const t = await getTranslations('matrix.sweeps');
  return (
    <details className="mb-5 text-sm">
      <summary className="text-soft">{t('title', { count: sweeps.length })}</summary>
      <ul className="card mt-2 px-4 py-1.5 sm:px-5">
        {sweeps.map((sweep) => (
          <Sweep key={sweep.id} sweep={sweep} shown={shown} path={path} />
        ))}
      </ul>
    </details>
  );
}

/** Said where the address names a sweep that this lab has not. */
export async function NoSuchSweep({ sweeps, path }: Omit<Props, 'shown'>) {
  const t = await getTranslations('matrix.sweeps');
  return (
    <div role="alert" className="card px-5 py-8 text-center text-soft">
      <p>{t('none')}</p>
      {sweeps.length > 0 ? (
        <Link href={path} className="link">
          {t('newest')}
        </Link>
      ) : (
        <p>{t('startOne')}</p>
      )}
    </div>
  );
}
