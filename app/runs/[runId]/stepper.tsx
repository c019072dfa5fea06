import Link from 'next/link';
import { getTranslations } from 'next-intl/server';
import type { StepRecord } from '#lib/drill/model.ts';
import type { RunView } from '#lib/operations/model.ts';
import { Bolt, Chip } from '../../_ui/chip.tsx';
import { deadlyFault, endsOf, isHeld, statusWord, verbOf } from '../../_ui/step-facts.ts';
import { type AheadStep, stepsAhead } from './ahead.ts';
import { openQuestion } from './open-question.ts';
import type { Pins } from './pins.ts';

type T = Awaited<ReturnType<typeof getTranslations<'drill'>>>;

function outcome(step: StepRecord, t: T, hidden: boolean): string {
  if (step.state === 'failed') return t('stepFailed');
  if (step.state === 'interrupted') return t('stepInterrupted');
  const held = step.executors.find(isHeld)?.held;
  if (held) return t('heldAt', { at: held.at });
  const fault = deadlyFault(step);
  if (fault && hidden) return fault.role === 'executor' ? 'the process died' : `the ${fault.role} died`;
  if (fault)
    return t(fault.role === 'executor' ? 'diedAt' : 'childDiedAt', { at: fault.at, role: fault.role });
  const words = [...new Set(step.executors.map(statusWord).filter((word) => word !== null))];
  return words.join(', ') || step.label;
}

function Ends({ step, t }: { step: StepRecord; t: T }) {
  return endsOf(step).map(({ word, tone, count }) => {
    const text = /^\d+$/.test(word) ? t('exit', { code: word }) : word;
    return (
      <Chip key={word} tone={tone}>
        {tone === 'crash' && <Bolt className="h-3 w-2" />}
        {count > 1 ? `${count} × ${text}` : text}
      </Chip>
    );
  });
}

function Pin({ position, pins, t }: { position: number; pins: Pins; t: T }) {
  const word = position === pins.after ? t('pinAfter') : position === pins.before ? t('pinBefore') : null;
  if (!word) return null;
  return (
    <span className="ml-auto rounded-[5px] border border-line bg-panel px-1.5 text-[11px] font-[640] text-soft">
      {word}
    </span>
  );
}

const CELL =
  'relative flex min-w-0 flex-col gap-0.5 border-line-soft px-4 py-3 max-md:border-b md:border-r print:border-r print:border-b-0 print:px-2.5 print:py-2';

interface DoneProps {
  step: StepRecord;
  position: number;
  pins: Pins;
  href: string;
  /** A question is open: where a process died may be its answer. */
  hidden: boolean;
  t: T;
}

function Done({ step, position, pins, href, hidden, t }: DoneProps) {
  const current = position === pins.after;
  return (
    <li
      aria-current={current ? 'step' : undefined}
      className={`${CELL} ${current ? 'bg-line-soft md:shadow-[inset_0_2px_var(--ink)] forced-colors:outline-2 forced-colors:-outline-offset-2' : ''}`}
    >
      <span className="flex items-center gap-2 text-[12px] text-faint">
        {position + 1} {step.label} <Pin position={position} pins={pins} t={t} />
      </span>
      <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Link href={href} scroll={false} className="font-[620] wrap-anywhere after:absolute after:inset-0">
          {step.spec.release || step.spec.damage ? verbOf(step.spec) : step.command}
        </Link>
        <Ends step={step} t={t} />
      </span>
      <span className="text-[12.5px] wrap-anywhere text-soft">{outcome(step, t, hidden)}</span>
    </li>
  );
}

function Ahead({ step, t }: { step: AheadStep; t: T }) {
  const { number, label, verb, stops, working } = step;
  return (
    <li className={`${CELL} text-faint`}>
      <span className="text-[12px]">{label === null ? number : `${number} ${label}`}</span>
      <span className={working ? 'at-work font-[620] text-ink' : 'font-[620]'}>{verb}</span>
      <span className="text-[12.5px] wrap-anywhere">
        {working ? t('atWork') : label === null && stops.length > 0 ? 'will be stopped' : t('toCome')}
      </span>
    </li>
  );
}

/** Every step of the run in its order; a click shows it as After. */
export async function Stepper(props: { run: RunView; pins: Pins; hrefs: string[]; asking: boolean }) {
  const { run, pins, hrefs, asking } = props;
  const t = await getTranslations('drill');
  const { steps } = run;
  const ahead = stepsAhead(run, asking);
  if (steps.length + ahead.length === 0) return null;
  return (
    <ol
      aria-label={t('steps')}
      className="card mb-4 overflow-x-auto md:grid md:auto-cols-[minmax(148px,1fr)] md:grid-flow-col print:grid print:grid-flow-row print:auto-cols-auto print:grid-cols-[repeat(auto-fit,minmax(118px,1fr))] print:overflow-visible"
    >
      {steps.map((step, position) => (
        <Done
          key={step.label}
          step={step}
          position={position}
          pins={pins}
          href={hrefs[position] ?? ''}
          hidden={asking && openQuestion(run) !== null}
          t={t}
        />
      ))}
      {/* A key is sent to the browser too, so it must not be the label. */}
      {ahead.map((step) => (
        <Ahead key={step.number} step={step} t={t} />
      ))}
    </ol>
  );
}
