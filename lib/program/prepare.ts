/** Makes a lab ready for its runs, and leaves nothing behind. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DrillError } from '../core/errors.ts';
import { failureOf, killCommandsOf, runToEnd } from './command.ts';
import type { ProgramLab } from './load.ts';
import { cleanLeftovers, endProcessesOf, makeScratch, remove } from './scratch.ts';
import { Services } from './services.ts';
import { type Prepared, surroundings } from './surroundings.ts';
import { fill } from './variables.ts';

const SETUP_WITHIN = '2m';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the lab's setup once, in the databases and the directory from which every run starts. */
async function setUp(
  lab: ProgramLab,
  services: Services,
  scratch: string,
  variant: string | null,
): Promise<string> {
  const beginning = join(scratch, 'beginning');
  mkdirSync(beginning);
  const run = await services.run();
  const step = join(scratch, 'setup');
  for (const written of lab.spec.setup) {
    const { env, values, secrets } = surroundings({ lab }, variant, run.vars());
    const words = written.map((word) => fill(word, values));
    const end = await runToEnd(words, {
      cwd: beginning,
      env,
      secrets: { ...secrets, ...run.secrets },
      step,
      withinMs: 120_000,
    });
    const failed = failureOf(written, end, SETUP_WITHIN);
    if (failed) throw new DrillError('unavailable', `The setup failed: ${failed}`);
  }
  await run.sessionsGone();
  await run.freeze();
  await run.close();
  return beginning;
}

/**
 * Starts a lab's services, runs its setup, hands both over, and ends everything, also at Ctrl-C.
 *
 * @throws DrillError `unavailable` or `usage` where a service does not start or the setup fails; and what `use` throws
 */
export async function withPrepared<T>(lab: ProgramLab, use: (prepared: Prepared) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux')
    throw new DrillError(
      'unavailable',
      'Program labs need Linux: elsewhere nothing ends a program with what it has started.',
    );
  cleanLeftovers();
  const scratch = makeScratch();
  let services: Services | null = null;
  const close = async () => {
    endProcessesOf(`${scratch}/`);
    await services?.stop();
    killCommandsOf(`${scratch}/`);
    endProcessesOf(`${scratch}/`);
    remove(scratch);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    void close()
      .catch(() => {})
      .then(() => process.exit(signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 129));
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    services = await Services.open(lab, scratch);
    const beginning = await setUp(lab, services, scratch, null);
    chmodSync(beginning, 0o755);
    return await use({ lab, services, scratch, beginning });
  } finally {
    await close();
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  }
}
