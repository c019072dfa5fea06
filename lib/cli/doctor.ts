import { EXIT } from '../core/errors.ts';
import type { Environment } from '../operations/environment.ts';

/**
 * Prints what the environment page shows.
 *
 * @returns 0 where drills can be trusted here, warnings included; 70 where something fails
 */
export function doctor(found: Environment, asJson: boolean): number {
  if (asJson) process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
  else {
    for (const fact of found.facts) {
      process.stdout.write(`${fact.status.padEnd(5)} ${fact.title}: ${fact.value}\n`);
      if (fact.status !== 'ok') process.stdout.write(`      ${fact.detail}\n`);
    }
  }
  return found.status === 'fail' ? EXIT.defect : EXIT.done;
}
