import { getTranslations } from 'next-intl/server';
import type { ReactNode } from 'react';
import type { RunView } from '#lib/operations/model.ts';
import { isHeld } from '../../_ui/step-facts.ts';

function Notice({ tone, children }: { tone: 'crash' | 'unknown'; children: ReactNode }) {
  const look = tone === 'crash' ? 'bg-crash-bg text-crash' : 'bg-unknown-bg text-unknown';
  return <p className={`rounded-[10px] px-4 py-2.5 text-sm ${look}`}>{children}</p>;
}

/** What keeps a run from going on, or stands open: lost and held executors, steps that failed or were interrupted. */
export async function Notices({ run }: { run: RunView }) {
  const t = await getTranslations('notices');
  const failed = run.steps.filter((step) => step.state !== 'done');
  // The last word about it: a release may have ended one of its processes and left another held.
  const held = run.holding.flatMap((label) => {
    const last = run.steps.findLast((step) => step.label === label || step.spec.release === label);
    return last ? [{ label, executors: last.executors }] : [];
  });
  if (!run.lost && !run.stuck && failed.length + held.length === 0) return null;
  return (
    <div className="mb-4 grid gap-2">
      {run.stuck ? (
        <Notice tone="crash">
          {run.stuck.why}
          {run.stuck.branchAfter !== null && ` ${t('branchAfter', { label: run.stuck.branchAfter })}`}
        </Notice>
      ) : (
        run.lost && <Notice tone="crash">{t('lost')}</Notice>
      )}
      {failed.map((step) => (
        <Notice key={step.label} tone="crash">
          {t(step.state === 'failed' ? 'failed' : 'interrupted', { label: step.label })} {step.error}
        </Notice>
      ))}
      {held.map((step) => (
        <Notice key={step.label} tone="unknown">
          {t('held', {
            label: step.label,
            who: step.executors
              .filter((end) => end.held)
              .map((end) =>
                t(isHeld(end) ? 'heldOne' : 'heldChild', { pid: String(end.pid), at: end.held?.at ?? '' }),
              )
              .join(', '),
          })}
        </Notice>
      ))}
    </div>
  );
}
