import { one, query } from '../../_ui/figures.ts';

/** What the URL of a drill page says. Labels name steps; one that the run does not have means nothing. */
export interface DrillParams {
  before: string | null;
  after: string | null;
  /** Large type and arrow keys, for a room. */
  projector: boolean;
  /** Questions are asked before their step, unless a teacher has them off. */
  questions: boolean;
}

/** What a teacher has set for the room, which a new run keeps. */
export type Settings = Pick<DrillParams, 'projector' | 'questions'>;

export type SearchParams = Record<string, string | string[] | undefined>;

export function parseDrillParams(params: SearchParams): DrillParams {
  return {
    before: one(params.before) || null,
    after: one(params.after) || null,
    projector: one(params.view) === 'projector',
    questions: one(params.predict) !== 'off',
  };
}

/** The query string that `parseDrillParams` reads back; what is the default is left out. */
export function drillQuery(params: Partial<DrillParams>): string {
  return query({
    before: params.before ?? undefined,
    after: params.after ?? undefined,
    view: params.projector ? 'projector' : undefined,
    predict: params.questions === false ? 'off' : undefined,
  });
}

/** The part of the query that a new run of the same person keeps. */
export function settingsQuery({ projector, questions }: Settings): string {
  return drillQuery({ projector, questions });
}

/** The settings that a form carries along in its field `settings`; anything else in there means nothing. */
export function settingsOf(form: FormData): string {
  const given = String(form.get('settings') ?? '').slice(0, 200);
  return settingsQuery(parseDrillParams(Object.fromEntries(new URLSearchParams(given))));
}
