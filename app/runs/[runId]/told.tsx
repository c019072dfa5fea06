import { narrate } from '#lib/drill/narrate.ts';
import { sourceOf } from '#lib/drill/source-line.ts';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { Glossary } from '../../_ui/glossary.tsx';
import { deadlyFault } from '../../_ui/step-facts.ts';

function Code({ lab, boundary }: { lab: Lab; boundary: string }) {
  const place = sourceOf(lab, boundary);
  if (!place) return null;
  return (
    <figure className="min-w-0 border-t border-line-soft py-2 lg:border-t-0 lg:border-l">
      <figcaption className="px-4 text-[12px] text-faint">
        {place.file}:{place.at}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by keyboard */}
      <pre tabIndex={0} className="mt-1 overflow-x-auto text-[12px] leading-[1.55]">
        {place.lines.map(({ number, text }) => {
          const here = number === place.at;
          return (
            <span
              key={number}
              className={`block w-max min-w-full px-4 ${here ? 'border-l-3 border-crash bg-crash-bg font-semibold' : 'border-l-3 border-transparent text-soft'}`}
            >
              {text || ' '}
              {here && <span className="text-crash"> {'// died here'}</span>}
            </span>
          );
        })}
      </pre>
    </figure>
  );
}

interface Props {
  run: RunView;
  lab: Lab;
  position: number | null;
  /** A question is open: nothing is told that could answer it. */
  hidden: boolean;
  /** Before a room the sentence alone: code is too small to be read from its last row. */
  compact?: boolean;
}

/** What the step shown as After did, in a sentence, and the line of code where it died. */
export function Told({ run, lab, position, hidden, compact = false }: Props) {
  const step = position === null ? undefined : run.steps[position];
  if (!step) return null;
  const { name, sentence } = narrate(lab, step, hidden);
  const boundary = deadlyFault(step)?.at;
  if (compact)
    return (
      <p className="text-[0.9em]">
        <strong className="font-[620]">{name}.</strong> {sentence}
      </p>
    );
  return (
    <section
      aria-labelledby="told"
      className={`card mb-4 grid break-inside-avoid overflow-hidden ${boundary && !hidden ? 'lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]' : ''}`}
    >
      <div className="px-4 py-3 sm:px-5">
        <div className="flex flex-wrap justify-between gap-x-4 text-[13px]">
          <h2 id="told" className="font-semibold">
            Step {(position ?? 0) + 1}: {name}
          </h2>
          <Glossary />
        </div>
        <p className="mt-0.5 max-w-[75ch]">{sentence}</p>
        {hidden && boundary && (
          <p className="mt-1 text-[13px] text-faint">The line of code is shown after your answer.</p>
        )}
      </div>
      {boundary && !hidden && <Code lab={lab} boundary={boundary} />}
    </section>
  );
}
