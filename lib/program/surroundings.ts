/** What a program of a lab runs in: its variables, and the lab made ready. */
import type { ProgramLab } from './load.ts';
import { ours, type Services } from './services.ts';
import { fill } from './variables.ts';

/** A lab made ready: its servers run, its setup is done. */
export interface Prepared {
  lab: ProgramLab;
  services: Services;
  scratch: string;
  /** What setup left: the beginning of every run. */
  beginning: string;
}

/** Variables of a program: those of the file, and what stands for them. */
export interface Surroundings {
  env: Record<string, string>;
  values: Record<string, string>;
  secrets: Record<string, string>;
}

/** Environment of the program with the addresses of its services. */
export function surroundings(
  { lab }: Pick<Prepared, 'lab'>,
  variant: string | null,
  vars: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Surroundings {
  const { spec } = lab;
  const base: Record<string, string> = {};
  for (const name of ['PATH', 'HOME', 'LANG']) {
    const value = process.env[name];
    if (value !== undefined) base[name] = value;
  }
  const asked = { ...spec.env, ...(variant === null ? {} : spec.variants[variant]?.env), ...own };
  const plain = { ...vars, LAB: lab.folder, operation: spec.operations[0] as string };
  const secrets: Record<string, string> = {};
  const env = Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      const mine = ours(value, `env.${name}`);
      Object.assign(secrets, mine);
      return [name, fill(value, { ...mine, ...plain })];
    }),
  );
  return { env: { ...base, ...env }, values: { ...env, ...plain }, secrets };
}
