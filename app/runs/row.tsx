import Link from 'next/link';
import { getFormatter, getLocale, getTranslations } from 'next-intl/server';
import type { Json } from '#lib/core/json.ts';
import { getLab } from '#lib/labs/registry.ts';
import type { ListedPrediction } from '#lib/operations/list-predictions.ts';
import type { RunRow } from '#lib/operations/model.ts';
import { answerWords } from '../_ui/answer-words.ts';
import { Chip, DECISION_TONE, ResultChip } from '../_ui/chip.tsx';
import { DeleteButton } from '../_ui/delete-button.tsx';
import { bytes } from '../_ui/figures.ts';
import { show } from '../_ui/step-facts.ts';
import { removeRun } from './actions.ts';

const WHEN = { dateStyle: 'medium', timeStyle: 'short' } as const;
/** Branches of branches move no further to the right than this. */
const INDENT = ['', 'pl-5 sm:pl-6', 'pl-8 sm:pl-12', 'pl-11 sm:pl-18'];

/** Asked for once, not once a row. */
export interface RowWords {
  t: Awaited<ReturnType<typeof getTranslations<'runs'>>>;
  d: Awaited<ReturnType<typeof getTranslations<'delete'>>>;
  format: Awaited<ReturnType<typeof getFormatter>>;
  locale: string;
}

export async function rowWords(): Promise<RowWords> {
  const [t, d, format, locale] = await Promise.all([
    getTranslations('runs'),
    getTranslations('delete'),
    getFormatter(),
    getLocale(),
  ]);
  return { t, d, format, locale };
}

/** What was predicted, and what was: said without praise or blame. */
function Predictions({ run, predictions, words: { t, locale } }: Omit<Props, 'depth'>) {
  if (predictions.length === 0) return null;
  const lab = getLab(run.lab);
  const lines = predictions.map(({ label, question, said, was }) => {
    if (said === null) return t('skipped', { label });
    const words = (value: Json) => (question ? answerWords(question, value, lab, locale) : show(value));
    const values = { label, said: words(said), was: words(was) };
    return was === null ? t('predicted', values) : t('predictedWas', values);
  });
  return <span className="block text-[12.5px] text-faint">{lines.join('; ')}</span>;
}

/** Which run a branch comes from, and after which of its steps. */
function Origin({ run, under, words: { t, format } }: { run: RunRow; under: boolean; words: RowWords }) {
  if (!run.origin) return null;
  const { label, of } = run.origin;
  if (!of) return <span className="block text-[12.5px] text-soft">{t('branchDeleted', { label })}</span>;
  const from = { label, title: of.title, when: format.dateTime(new Date(of.createdAt), WHEN) };
  return (
    <Link href={`/runs/${run.origin.run}`} className="link text-[12.5px] text-soft">
      {t(under ? 'branch' : 'branchElsewhere', from)}
    </Link>
  );
}

/** A branch has free play's verdict, which does not know what the branch cost. */
function Verdict({ run, t }: { run: RunRow; t: RowWords['t'] }) {
  // Free play is judged by its steps alone.
  if (run.stepsDone === 0 && run.stepsTotal === null)
    return <span className="text-[13px] text-faint">{t('notJudged')}</span>;
  const words = t(`verdict.${run.verdict}`);
  if (run.costs.length === 0) return <ResultChip result={run.verdict}>{words}</ResultChip>;
  return (
    <span className="grid justify-items-start gap-0.5 max-md:justify-items-end md:min-w-36">
      <span className="text-[13px] text-crash">{t('cost', { costs: run.costs.join('; ') })}</span>
      {run.verdict === 'holds' ? (
        <span className="text-[12.5px] text-faint">{t('invariantsHold')}</span>
      ) : (
        <ResultChip result={run.verdict}>{words}</ResultChip>
      )}
    </span>
  );
}

function Delete({ run, when, d }: { run: RunRow; when: string; d: RowWords['d'] }) {
  return (
    <DeleteButton
      id={run.id}
      remove={removeRun}
      leaveTo={null}
      className="rounded-md px-2 py-0.5 text-[13px] text-soft hover:text-crash"
      texts={{
        button: d('button'),
        label: d('label', { title: run.title, when }),
        title: d('title'),
        body: d('body', { title: run.title }),
        confirm: d('confirm'),
        cancel: d('cancel'),
      }}
    />
  );
}

interface Props {
  run: RunRow;
  /** How far down its tree; 0 for a run that stands for itself. */
  depth: number;
  predictions: ListedPrediction[];
  words: RowWords;
}

export function Row({ run, depth, predictions, words }: Props) {
  const { t, d, format } = words;
  const when = format.dateTime(new Date(run.createdAt), WHEN);
  const { stepsDone: done, stepsTotal: total } = run;
  return (
    <tr className="border-t border-line-soft align-top max-md:grid max-md:grid-cols-2 max-md:gap-y-1 max-md:px-4 max-md:py-3 md:[&>td]:px-3 md:[&>td]:py-3 md:[&>td:first-child]:pl-5 md:[&>td:last-child]:pr-4">
      <td className="max-md:col-span-2">
        <div className={`relative ${INDENT[Math.min(depth, INDENT.length - 1)]}`}>
          {depth > 0 && (
            <span
              aria-hidden="true"
              className="absolute -mt-4 -ml-4 h-7 w-3 rounded-bl-md border-b-[1.5px] border-l-[1.5px] border-faint/60"
            />
          )}
          <Link href={`/runs/${run.id}`} className="font-[560] hover:underline">
            {run.title}
          </Link>
          <span className="block text-[12.5px] text-faint">
            <time dateTime={run.createdAt}>{when}</time> · {run.lab}
          </span>
          {run.without.length > 0 && (
            <span className="block text-[12.5px] text-unknown">
              {t('without', { names: run.without.join(', ') })}
            </span>
          )}
          <Origin run={run} under={depth > 0} words={words} />
          <Predictions run={run} predictions={predictions} words={words} />
        </div>
      </td>
      <td>
        <span className="text-[13px] whitespace-nowrap text-soft tabular-nums">
          {total === null ? t('steps', { done }) : t('stepsOf', { done, total })}
        </span>
      </td>
      <td className="max-md:text-right">
        <Verdict run={run} t={t} />
      </td>
      <td>
        {run.finished && run.decision && (
          <Chip tone={DECISION_TONE[run.decision]}>{t(`decision.${run.decision}`)}</Chip>
        )}
      </td>
      <td className="text-right text-[13px] whitespace-nowrap text-soft tabular-nums">
        {bytes(run.diskBytes)}
      </td>
      <td className="text-right max-md:col-span-2">
        <Delete run={run} when={when} d={d} />
      </td>
    </tr>
  );
}
