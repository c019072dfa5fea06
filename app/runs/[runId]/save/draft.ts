/** A scenario's text as a form sees it: fields read from the YAML, and changes written back into it. */
import { type Document, parseDocument } from 'yaml';

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

export const TEXT_FIELDS = ['title', 'question', 'story', 'lesson', 'understood'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export interface DraftStep {
  label: string;
  /** Command, release or damage. */
  verb: string;
  /** What is expected of it, as one line; null where nothing is. */
  expect: string | null;
}

export interface Draft {
  id: string;
  text: Record<TextField, string>;
  steps: DraftStep[];
  /** Each check as one line, unique. */
  checks: string[];
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
const asList = (value: unknown): Record<string, Value>[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];

/** An expectation as a person says it: "exit 0, status complete". */
export function expectWords(expect: string): string {
  const { reply, exits, held, ...ends } = JSON.parse(expect) as Record<string, Value>;
  const words = (value: Value | undefined) =>
    Object.entries((value ?? {}) as Record<string, Value>).map(([name, one]) => [name, String(one)] as const);
  return [
    ...words(ends).map(([name, one]) => `${name} ${one}`),
    ...(held === true ? ['held'] : []),
    ...words(exits).map(([end, count]) => `${count} × ${end}`),
    ...words(reply).map(([name, one]) => `${name} ${one}`),
  ].join(', ');
}

function parsed(source: string): { document: Document; value: Record<string, Value> } | null {
  try {
    const document = parseDocument(source);
    if (document.errors.length > 0) return null;
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return { document, value: value as Record<string, Value> };
  } catch {
    return null;
  }
}

const written = (document: Document): string => document.toString({ lineWidth: 110 });

/** What the form shows of a text; null while the text is no YAML. */
export function readDraft(source: string): Draft | null {
  const found = parsed(source);
  if (!found) return null;
  const { value } = found;
  const text = (value.text ?? {}) as Record<string, Value>;
  return {
    id: asText(value.id),
    text: Object.fromEntries(TEXT_FIELDS.map((name) => [name, asText(text?.[name])])) as Record<
      TextField,
      string
    >,
    steps: asList(value.steps).map((step) => ({
      label: asText(step.label),
      verb: asText(step.command) || asText(step.damage) || `release ${asText(step.release)}`,
      expect: step.expect === undefined ? null : JSON.stringify(step.expect),
    })),
    checks: asList(value.checks).map((check) => JSON.stringify(check)),
  };
}

function changed(source: string, change: (document: Document, value: Record<string, Value>) => void): string {
  const found = parsed(source);
  if (!found) return source;
  change(found.document, found.value);
  return written(found.document);
}

export function setId(source: string, id: string): string {
  return changed(source, (document) => document.setIn(['id'], id));
}

export function setText(source: string, field: TextField, text: string): string {
  return changed(source, (document) => document.setIn(['text', field], text));
}

/** Gives a step another label, and everything that names it. */
export function renameStep(source: string, index: number, label: string): string {
  return changed(source, (document, value) => {
    const steps = asList(value.steps);
    const before = steps[index]?.label;
    document.setIn(['steps', index, 'label'], label);
    steps.forEach((step, at) => {
      for (const key of ['release', 'from']) {
        if (before !== '' && step[key] === before) document.setIn(['steps', at, key], label);
      }
    });
    asList(value.checks).forEach((check, at) => {
      for (const key of ['at', 'from', 'to']) {
        if (before !== '' && check[key] === before) document.setIn(['checks', at, key], label);
      }
    });
  });
}

/** What a step has to come to, or nothing. */
export function setExpect(source: string, index: number, expect: string | null): string {
  return changed(source, (document) => {
    if (expect === null) document.deleteIn(['steps', index, 'expect']);
    else document.setIn(['steps', index, 'expect'], document.createNode(JSON.parse(expect)));
  });
}

/** Puts a check in, at the end, or takes it out. */
export function setCheck(source: string, check: string, on: boolean): string {
  return changed(source, (document, value) => {
    const checks = asList(value.checks);
    const at = checks.findIndex((one) => JSON.stringify(one) === check);
    if (on && at === -1) document.setIn(['checks'], document.createNode([...checks, JSON.parse(check)]));
    if (!on && at !== -1) document.deleteIn(['checks', at]);
  });
}
