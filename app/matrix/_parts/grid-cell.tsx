import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { Emptiness, GridCell } from '../grid.ts';

const TONE = {
  holds: 'bg-receipt-bg text-receipt',
  violated: 'bg-crash-bg text-crash',
  unknown: 'bg-unknown-bg text-unknown',
} as const;
const LETTER = { holds: 'H', violated: 'V', unknown: 'U' } as const;

export async function NoCell({ word }: { word: Emptiness['cell'] }) {
  const t = await getTranslations('matrix');
  return (
    <td className="px-1 py-1 text-center text-faint">
      <span aria-hidden="true">·</span>
      <span className="sr-only">{t(word)}</span>
    </td>
  );
}

interface Props {
  cell: GridCell;
  /** What the way back from the opened cell leads to. */
  id: string;
  href: string;
  current: boolean;
}

/** One place of the table: what its cells came to, and that they differ where they do. */
export async function Cell({ cell, id, href, current }: Props) {
  const t = await getTranslations('matrix');
  const count = cell.cells.length;
  const verdict = t(cell.byDesign ? 'byDesign' : `verdict.${cell.verdict}`);
  const [least, most] = cell.effects;
  const [decision, ...further] = cell.decisions;
  return (
    <td className="px-1 py-1">
      <Link
        id={id}
        href={href}
        aria-current={current ? 'true' : undefined}
        className={`flex items-baseline gap-2 rounded-md px-2 py-1 text-[12.5px] whitespace-nowrap aria-[current]:outline-2 aria-[current]:outline-ledger ${cell.byDesign ? TONE.unknown : TONE[cell.verdict]}`}
      >
        <span aria-hidden="true" className="font-[650]">
          {cell.byDesign ? 'D' : LETTER[cell.verdict]}
        </span>
        <span className="sr-only">
          {cell.so < count ? t('so', { verdict, so: cell.so, count }) : verdict}:{' '}
        </span>
        <span className={further.length > 0 ? 'italic' : ''}>
          {further.length > 0 || !decision
            ? t('severalDecisions', { count: cell.decisions.length })
            : t(`decision.${decision}`)}
        </span>
        <span className="ml-auto tabular-nums">
          <span aria-hidden="true">{least === most ? most : `${least}–${most}`}</span>
          <span className="sr-only">
            , {least === most ? t('effects', { count: most }) : t('effectRange', { least, most })}
          </span>
        </span>
        {count > 1 && (
          <span className="tabular-nums">
            <span aria-hidden="true">{cell.so < count ? `${cell.so}/${count}` : `×${count}`}</span>
            <span className="sr-only">, {t('cells', { count })}</span>
          </span>
        )}
      </Link>
    </td>
  );
}
