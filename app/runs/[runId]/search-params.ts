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
