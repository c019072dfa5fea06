import type { Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';
import type { Pins } from './pins.ts';
import type { DrillParams } from './search-params.ts';

/** What a drill page shows, in whichever view. */
export interface Shown {
  run: RunView;
  lab: Lab;
  params: DrillParams;
  pins: Pins;
  /** The page with each step as After. */
  hrefs: string[];
  /** Questions are wanted: by the URL and by this browser's session. */
  asking: boolean;
  locale: string;
}
