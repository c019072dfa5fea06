import { getFormatter, getTranslations } from 'next-intl/server';
import { listRuns } from '#lib/operations/list-runs.ts';
import type { RunView } from '#lib/operations/model.ts';
import { COLUMNS, type CompareParams } from './search-params.ts';

type Choice = Pick<RunView, 'id' | 'lab' | 'title' | 'without' | 'createdAt'>;

/** The newest runs and those already chosen; beside a chosen one only those of its lab can be compared. */
async function choices(chosen: readonly RunView[]): Promise<Choice[]> {
  const lab = chosen[0]?.lab;
  const { runs } = await listRuns(lab === undefined ? {} : { lab });
  const listed = new Set(runs.map((run) => run.id));
  return [...runs, ...chosen.filter((run) => !listed.has(run.id))];
}

/** Chooses two to four runs. */
export async function Chooser({ params, chosen }: { params: CompareParams; chosen: readonly RunView[] }) {
  const [t, format, runs] = await Promise.all([getTranslations('compare'), getFormatter(), choices(chosen)]);
  if (runs.length < 2) return <p className="text-soft">{t('tooFew')}</p>;
  const words = (run: Choice) => {
    const when = format.dateTime(new Date(run.createdAt), { dateStyle: 'medium', timeStyle: 'medium' });
    const without = run.without.length > 0 ? ` (${t('without', { names: run.without.join(', ') })})` : '';
    return `${run.lab}: ${run.title}${without}, ${when}`;
  };
  return (
    <form action="/compare" className="grid max-w-3xl gap-2.5">
      {COLUMNS.map((name, index) => (
        <label key={name} className="grid min-w-0 gap-1 text-[13px] text-soft">
          {t(index < 2 ? 'run' : 'runToo', { letter: name.toUpperCase() })}
          <select
            name={name}
            defaultValue={params.runs[index] ?? (index < 2 ? runs[index]?.id : '')}
            className="field"
          >
            {index >= 2 && <option value="">{t('none')}</option>}
            {runs.map((run) => (
              <option key={run.id} value={run.id}>
                {words(run)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <div>
        <button type="submit" className="button">
          {t('compare')}
        </button>
      </div>
    </form>
  );
}
