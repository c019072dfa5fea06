import { getTranslations } from 'next-intl/server';
import type { ExecutorEnd, StepRecord, TraceLine } from '#lib/drill/model.ts';
import { Chip, RESULT_SIGN, RESULT_TONE } from '../../_ui/chip.tsx';
import { endTone, endWord } from '../../_ui/step-facts.ts';

type T = Awaited<ReturnType<typeof getTranslations<'detail'>>>;

function traceText(line: TraceLine, t: T): string {
  if ('commit' in line) return t('committed', { name: line.name, store: line.commit });
  if ('held' in line) return t('held', { at: line.held });
  return line.hit > 1
    ? t('reachedAgain', { at: line.boundary, hit: line.hit })
    : t('reached', { at: line.boundary });
}

function Executor({ end, t }: { end: ExecutorEnd; t: T }) {
  const streams = [
    ['stdout', end.stdout],
    ['stderr', end.stderr],
  ].filter((entry): entry is [string, string] => Boolean(entry[1]));
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <span>{t('process', { pid: end.pid })}</span>
        <Chip tone={endTone(end)}>
          {/^\d+$/.test(endWord(end)) ? t('exit', { code: endWord(end) }) : endWord(end)}
        </Chip>
        {end.timedOut && <Chip tone="crash">{t('timedOut')}</Chip>}
      </p>
      {end.reply && (
        <pre className="max-h-56 overflow-auto rounded-md bg-line-soft p-2 text-[11.5px] whitespace-pre-wrap wrap-anywhere">
          {JSON.stringify(end.reply, null, 2)}
        </pre>
      )}
      {!end.reply &&
        streams.map(([name, text]) => (
          <div key={name}>
            <p className="text-[12px] text-faint">{t(name as 'stdout')}</p>
            <pre className="max-h-40 overflow-auto rounded-md bg-line-soft p-2 text-[11.5px] whitespace-pre-wrap wrap-anywhere">
              {text}
            </pre>
          </div>
        ))}
    </div>
  );
}

function Faults({ step, t }: { step: StepRecord; t: T }) {
  const { armed, fired } = step.fault;
  return armed.map((fault) => {
    const done = fired.some((one) => one.at === fault.at && one.hit === fault.hit && one.role === fault.role);
    return (
      <p key={`${fault.role}-${fault.at}-${fault.hit}`}>
        {t(done ? 'faultFired' : 'faultNotFired', { way: fault.action, at: fault.at, role: fault.role })}
      </p>
    );
  });
}

/** The step as recorded: processes with pid and end, the trace, faults armed and fired, expectations. */
export async function StepDetail({ step, number }: { step: StepRecord; number: number }) {
  const t = await getTranslations('detail');
  const damaged = (step.evidence?.integrity ?? []).filter(
    (one) => one.quickCheck !== 'ok' || one.foreignKeys !== 'ok',
  );
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="text-[13px] font-semibold">{t('title', { number, label: step.label })}</summary>
      <div className="mt-2 grid grid-cols-[minmax(0,1fr)] gap-3 text-[13px]">
        {step.executors.map((end) => (
          <Executor key={end.pid} end={end} t={t} />
        ))}
        <Faults step={step} t={t} />
        {step.expectations.map((expectation) => (
          <p key={expectation.what}>
            <Chip tone={RESULT_TONE[expectation.result]}>{RESULT_SIGN[expectation.result]}</Chip>{' '}
            {expectation.what} <span className="font-mono text-[12px] text-soft">{expectation.detail}</span>
          </p>
        ))}
        {damaged.map((one) => (
          <p key={one.store} className="text-crash">
            {one.store}: {one.quickCheck}, {one.foreignKeys}
          </p>
        ))}
        {step.trace.length > 0 && (
          <div>
            <h3 className="text-[12px] text-faint">{t('trace')}</h3>
            <ol className="font-mono text-[12px] wrap-anywhere">
              {step.trace.map((line, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: lines of a log have no other name
                <li key={index} className={'commit' in line ? 'font-semibold' : 'text-soft'}>
                  <span className="text-faint">
                    {line.role === 'executor' ? line.pid : `${line.role} ${line.pid}`}
                  </span>{' '}
                  {traceText(line, t)}
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </details>
  );
}
