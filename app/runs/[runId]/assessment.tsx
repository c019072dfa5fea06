import { getTranslations } from 'next-intl/server';
import { costOf } from '#lib/drill/cost.ts';
import type { StepRecord } from '#lib/drill/model.ts';
import { gapsOf } from '#lib/evidence/gaps.ts';
import type { Decision, Effect } from '#lib/evidence/model.ts';
import type { Assessment, Lab } from '#lib/labs/contract.ts';
import { byHand } from '../../_ui/by-hand.ts';
import { endsOf, isHeld, shorten, show, statusWord } from '../../_ui/step-facts.ts';
import { InlineCode } from './inline-code.tsx';
import { StepDetail } from './step-detail.tsx';

type T = Awaited<ReturnType<typeof getTranslations<'assess'>>>;

const BOX: Record<Effect, string> = {
  confirmed: 'bg-receipt-bg text-receipt',
  absent: 'bg-ledger-bg text-ledger',
  unknown: 'bg-unknown-bg text-unknown',
};

/** The caller's whole knowledge: an exit, and a reply or none. */
function callerSaw(step: StepRecord, t: T): string {
  if (step.executors.length > 1) {
    const ends = endsOf(step).map(({ word, count }) => t('count', { count, word }));
    return t('sawMany', { ends: ends.join(', ') });
  }
  const end = step.executors[0];
  if (!end) return t('sawNothing');
  if (end.notStarted !== undefined) return end.notStarted;
  if (end.endedBefore) return t('sawNoMore');
  if (end.held && isHeld(end)) return t('sawHeld', { at: end.held.at });
  const how = end.signal ? t('killedBy', { signal: end.signal }) : t('exit', { code: end.code ?? '?' });
  if (!end.reply) return t('sawNoReply', { how });
  const status = statusWord(end);
  const said = status ? t('sawReply', { how, status }) : t('sawPlainReply', { how });
  const message = typeof end.reply.message === 'string' ? ` ${end.reply.message}` : '';
  const definite =
    end.reply.definite === true
      ? ` ${t('definite')}`
      : end.reply.definite === false
        ? ` ${t('indefinite')}`
        : '';
  return said + message + definite;
}

function ReallyHappened({ step, lab, t }: { step: StepRecord; lab: Lab; t: T }) {
  const changes = step.evidence?.truth ?? [];
  const gaps = step.evidence ? gapsOf(step.evidence, 'target', lab.stores) : null;
  const unknown = gaps === null || gaps.length > 0;
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="text-[13px] font-semibold">{t('really')}</summary>
      <p className="mt-1 text-[12.5px] text-soft">{t('reallyLead')}</p>
      {unknown && (
        <p className="mt-2 text-sm text-unknown">
          {t(changes.length > 0 ? 'reallyInPart' : 'reallyUnknown', {
            files: (gaps ?? lab.stores).map(({ file }) => file).join(', '),
          })}
        </p>
      )}
      {changes.length === 0 ? (
        !unknown && <p className="mt-2 text-sm">{t('noChange')}</p>
      ) : (
        <ol className="mt-2 grid gap-2">
          {changes.map((change, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: changes have an order and no name
            <li key={index} className="text-sm">
              <span className="font-medium">{change.operation ?? t('byOther', { actor: change.actor })}</span>{' '}
              <span className="text-soft">
                {t('changedTarget', { target: change.target, store: change.store })}
              </span>
              <code className="block wrap-anywhere text-soft">
                {shorten(show(change.from))} → {shorten(show(change.to))}
              </code>
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

const DECISIONS: readonly Decision[] = ['reconcile', 'retry-same-key', 'investigate'];

/** What the step itself concluded, where it did; after it was acted on, its evidence leaves nothing to decide. */
function decisionOf(step: StepRecord, assessment: Assessment): Decision {
  const said = step.executors.length === 1 ? step.executors[0]?.reply?.decision : undefined;
  return DECISIONS.find((decision) => decision === said) ?? assessment.decision;
}

/**
 * What the evidence of the step shown as After permits, and what it is that permits it. While a question stands
 * open, the conclusion waits for the answer: whoever reads it first has nothing left to predict.
 */
export async function AssessmentAside(props: {
  lab: Lab;
  history: readonly StepRecord[];
  locale: string;
  questionOpen: boolean;
  /** A branch is read with what its decision cost. */
  branch: boolean;
}) {
  const { lab, history, locale, questionOpen, branch } = props;
  const t = await getTranslations('assess');
  const step = history.at(-1);
  if (!step) return null;
  const assessment = step.evidence && !questionOpen ? lab.assess(history) : null;
  const costs = assessment && branch ? costOf(lab, history) : [];
  const decision = assessment ? decisionOf(step, assessment) : 'none';
  // Both name the fault, and where it struck is part of the answer.
  const command = questionOpen ? null : byHand(lab.id, step);
  const entry = (title: string, body: React.ReactNode) => (
    <div>
      <dt className="text-[12.5px] text-faint">{title}</dt>
      <dd className="mt-px">{body}</dd>
    </div>
  );
  return (
    <aside
      aria-labelledby="reading"
      className="card flex flex-col gap-3.5 px-4 py-4 text-sm xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:self-start xl:overflow-y-auto print:static print:max-h-none"
    >
      <h2 id="reading" className="text-[13px] font-semibold">
        {t('title')}
      </h2>
      {assessment?.asked === false && (
        <div className="rounded-[10px] border border-line px-3.5 py-3">
          <p className="text-base font-semibold tracking-tight">{t('notAsked')}</p>
          <p className="text-[13.5px]">{t('notAskedMeans')}</p>
        </div>
      )}
      {assessment && assessment.asked !== false && (
        <div className={`rounded-[10px] px-3.5 py-3 ${BOX[assessment.effect]}`}>
          <p className="text-base font-semibold tracking-tight">{t(`effect.${assessment.effect}`)}</p>
          <p className="text-[13.5px] text-ink">
            {costs.length > 0 && decision === 'none'
              ? t('cost', { costs: costs.join('; ') })
              : t(`decision.${decision}`)}
          </p>
        </div>
      )}
      {questionOpen && (
        <p className="rounded-[10px] border border-dashed border-line px-3.5 py-3 text-[13.5px] text-soft">
          {t('questionOpen')}
        </p>
      )}
      <dl className="grid gap-3">
        {entry(t('callerSaw'), <InlineCode text={callerSaw(step, t)} />)}
        {assessment && entry(t('survived'), <InlineCode text={assessment.survived} />)}
        {assessment && entry(t('recordAlone'), <InlineCode text={assessment.recordAlone} />)}
        {command && entry(t('byHand'), <code className="text-[12px] wrap-anywhere">{command}</code>)}
      </dl>
      {!questionOpen && <ReallyHappened step={step} lab={lab} t={t} />}
      {!questionOpen && <StepDetail step={step} number={history.length} />}
    </aside>
  );
}
