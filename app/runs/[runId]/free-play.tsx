import { getTranslations } from 'next-intl/server';
import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import { LazyDetails } from '../../_ui/lazy-details.tsx';
import { FreePlayForm, type PlayTexts } from './free-play-form.tsx';
import { type PlayModel, playModel } from './free-play-model.ts';

async function playTexts(): Promise<PlayTexts> {
  const t = await getTranslations('play');
  const groups = ['act', 'recover', 'observe', 'other-actor', 'held', 'trap', 'damage'] as const;
  const ways = ['exit', 'kill', 'abort', 'hold'] as const;
  const words = <K extends string>(keys: readonly K[], of: (key: K) => string) =>
    Object.fromEntries(keys.map((key) => [key, of(key)])) as Record<K, string>;
  return {
    action: t('action'),
    groups: words(groups, (kind) => t(`group.${kind}`)),
    warning: { trap: t('warning.trap'), damage: t('warning.damage') },
    release: t('release'),
    kill: t('kill'),
    boundary: t('boundary'),
    noBoundary: t('noBoundary'),
    lockHeld: t('lockHeld'),
    hit: t('hit'),
    way: t('way'),
    ways: words(ways, (way) => t(`ways.${way}`)),
    clock: t('clock'),
    from: t('from'),
    savedHint: t('savedHint'),
    asDefault: t('asDefault'),
    submit: t('submit'),
    working: t('working'),
    wrongJson: t('wrongJson'),
    wrongNumber: t('wrongNumber'),
  };
}

/** What comes to mind next: the first command of the lab in an empty run, else what is not chosen yet. */
function firstOf(run: RunView, model: PlayModel): string {
  const done = new Set(run.steps.map((step) => step.command));
  const commands = model.actions.filter((action) => action.verb === 'command');
  const next = commands.find((action) => !done.has(action.name) && action.kind !== 'trap');
  return (next ?? commands[0])?.id ?? '';
}

/** Free play on the drill page: open where nothing else leads on. */
export async function FreePlay({ run, lab, locale }: { run: RunView; lab: Lab; locale: string }) {
  const t = await getTranslations('play');
  if (run.lost || run.running) return null;
  const model = playModel(run, lab, locale);
  return (
    <LazyDetails
      summary={t('title')}
      open={run.scenario === null}
      className="card no-print px-4 py-3.5 sm:px-5"
    >
      <p className="mt-1 mb-3 text-[13px] text-soft">{run.scenario ? t('leaves') : t('lead')}</p>
      <FreePlayForm key={run.nextSeq} model={model} texts={await playTexts()} first={firstOf(run, model)} />
    </LazyDetails>
  );
}
