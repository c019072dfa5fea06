/** What free play may ask for, as plain data for the form. */
import type { StepRecord } from '#lib/drill/model.ts';
import { type ArgField, argFields } from '#lib/labs/args.ts';
import type { CommandSpec, Lab } from '#lib/labs/contract.ts';
import type { RunView } from '#lib/operations/model.ts';

export interface PlayAction {
  /** `command:run`, `release:crashed`, `kill:crashed`, `damage:empty-receipt`. */
  id: string;
  verb: 'command' | 'release' | 'kill' | 'damage';
  name: string;
  summary: string;
  kind: CommandSpec['kind'] | 'held' | 'damage';
  fields: (ArgField & { start: string })[];
  /** Reply kept under a name, so that later steps can submit it. */
  saves: string | null;
  needsFrom: boolean;
}

export interface PlayBoundary {
  id: string;
  at: string;
  role: string;
  lock: 'held' | 'free';
}

export interface PlayModel {
  run: string;
  seq: number;
  actions: PlayAction[];
  boundaries: PlayBoundary[];
  /** Labels whose raw copy can be put back. */
  copies: string[];
  /** Names of saved values: `$proposal`. */
  saved: string[];
  /** null in a lab whose commands take no clock. */
  now: number | null;
}

/** Names under which the run has values, the latest last. */
export function savedNames(steps: readonly StepRecord[]): string[] {
  const names = steps
    .filter((step) => step.spec.saves && step.executors[0]?.reply)
    .map((step) => step.spec.saves);
  return [...new Set(names as string[])];
}

function startOf(field: ArgField, saved: readonly string[]): string {
  if (field.fallback !== undefined && field.fallback !== null) {
    return typeof field.fallback === 'string' ? field.fallback : JSON.stringify(field.fallback);
  }
  if (field.kind === 'json' && field.required && saved.length > 0) return `$${saved.at(-1)}`;
  return field.kind === 'choice' ? (field.options[0] ?? '') : '';
}

function freeName(base: string, taken: readonly string[]): string {
  const word = base.replace(/[^A-Za-z]/g, '') || 'reply';
  let number = 1;
  while (taken.includes(number === 1 ? word : `${word}${number}`)) number += 1;
  return number === 1 ? word : `${word}${number}`;
}

/** What the next step of a run can be: every command of its lab, what is held, every damage. */
export function playModel(run: RunView, lab: Lab, locale: string): PlayModel {
  const saved = savedNames(run.steps);
  const none = { fields: [], saves: null, needsFrom: false };
  const commands = lab.commands.map(
    (command): PlayAction => ({
      ...none,
      id: `command:${command.name}`,
      verb: 'command',
      name: command.name,
      summary: command.summary,
      kind: command.kind,
      fields: argFields(command).map((field) => ({ ...field, start: startOf(field, saved) })),
      saves: command.printsReply ? freeName(command.name, saved) : null,
    }),
  );
  const held = run.holding.flatMap((label): PlayAction[] =>
    (['release', 'kill'] as const).map((verb) => ({
      ...none,
      id: `${verb}:${label}`,
      verb,
      name: label,
      summary: '',
      kind: 'held',
    })),
  );
  const damage = lab.damages.map(
    (damage): PlayAction => ({
      ...none,
      id: `damage:${damage.name}`,
      verb: 'damage',
      name: damage.name,
      summary: damage.summary,
      kind: 'damage',
      needsFrom: damage.needsFrom ?? false,
    }),
  );
  return {
    run: run.id,
    seq: run.nextSeq,
    actions: [...commands, ...held, ...damage],
    boundaries: lab.boundaries.map(({ name, role, lock }) => ({
      id: `${role}/${name}`,
      at: name,
      role,
      lock,
    })),
    copies: run.steps.filter((step) => step.evidence).map((step) => step.label),
    saved,
    now: lab.clock ? (run.steps.at(-1)?.now ?? 0) : null,
  };
}
