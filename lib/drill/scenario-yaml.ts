/**
 * The YAML of a scenario. Whoever wrote the text, reading it is quick: its size, its depth and what its aliases
 * multiply are looked at before anything walks through it.
 */
import { Composer, type CST, type Document, isScalar, Lexer, LineCounter, Parser, visit } from 'yaml';

type Token = CST.Token;

/** Most that a scenario's text has, wherever it comes from. Sixty steps in three languages are well below. */
export const SCENARIO_LIMIT = { bytes: 64 * 1024, says: 'a scenario can be (64 KB)' };
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;
const MAX_FAULTS = 50;

/** One fault of a scenario file, with where it stands. */
export interface Fault {
  path: string;
  message: string;
  line: number;
  column: number;
}

export type Path = (string | number)[];

type Place = Pick<Fault, 'line' | 'column'>;

interface Refused {
  ok: false;
  faults: Fault[];
}

export type Yaml = { ok: true; value: unknown; locate: (path: Path) => Place } | Refused;

const START: Place = { line: 1, column: 1 };
const ofFile = (message: string, place = START): Fault => ({ path: '(file)', message, ...place });
const refused = (message: string, place = START): Refused => ({
  ok: false,
  faults: [ofFile(message, place)],
});

/** What is said of a text beyond the limit. */
export const TOO_LARGE: Refused = refused(`larger than ${SCENARIO_LIMIT.says}`);

/** The first faults of many, and how many more there are: nobody reads thousands. */
export function firstFaults<T>(found: readonly T[], toFault: (one: T) => Fault): Fault[] {
  const faults = found.slice(0, MAX_FAULTS).map(toFault);
  const next = found[MAX_FAULTS];
  if (next === undefined) return faults;
  const { line, column } = toFault(next);
  return [...faults, ofFile(`and ${found.length - MAX_FAULTS} more`, { line, column })];
}

function placeOf(counter: LineCounter, offset: number): Place {
  const { line, col } = counter.linePos(offset);
  return { line, column: col };
}

/** True for a text that is larger than a scenario can be; its bytes are counted only where they might be too many. */
function isTooLarge(source: string): boolean {
  return source.length > SCENARIO_LIMIT.bytes || Buffer.byteLength(source) > SCENARIO_LIMIT.bytes;
}

/** The text in its parts, or where it begins to nest too deeply. This parser keeps a list; composing recurses. */
function tokensOf(source: string, counter: LineCounter): Token[] | Place {
  counter.addNewLine(0);
  const parser = new Parser(counter.addNewLine);
  const tokens: Token[] = [];
  for (const lexeme of new Lexer().lex(source)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_DEPTH) return placeOf(counter, parser.offset);
  }
  return [...tokens, ...parser.end()];
}

interface YamlFault {
  offset: number;
  message: string;
}

function compose(tokens: readonly Token[], length: number): { document: Document; faults: YamlFault[] } {
  // Its own look for duplicate keys compares each key with each.
  const composer = new Composer({ uniqueKeys: false, prettyErrors: false, logLevel: 'error' });
  const { stackTraceLimit } = Error;
  // There may be an error for each letter, and taking the stack of each is most of the work.
  Error.stackTraceLimit = 0;
  try {
    const [document, second] = [...composer.compose(tokens, true, length)] as [Document, Document?];
    const faults = document.errors.map(({ pos, message }) => ({ offset: pos[0], message }));
    if (second) faults.push({ offset: second.range?.[0] ?? 0, message: 'A second document begins here' });
    return { document, faults };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Keys that their map has already. */
function duplicateKeys(document: Document): YamlFault[] {
  const found: YamlFault[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) found.push({ offset: key.range?.[0] ?? 0, message: 'Map keys must be unique' });
        seen.add(name);
      }
    },
  });
  return found;
}

/** What is too much about a value whose aliases have been filled in, or null. */
function excess(value: unknown): string | null {
  const left = [{ value, depth: 0 }];
  let count = 1;
  for (let next = left.pop(); next; next = left.pop()) {
    const { value: item, depth } = next;
    if (typeof item !== 'object' || item === null) continue;
    if (depth >= MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`;
    const members = Object.values(item);
    count += members.length;
    if (count > MAX_VALUES) return `holds more than ${MAX_VALUES} values, which no scenario does`;
    for (const member of members) left.push({ value: member, depth: depth + 1 });
  }
  return null;
}

/**
 * Reads the text of a scenario as YAML.
 *
 * @returns its value, and where in the text a path of it stands; or the faults. Throws nothing
 */
export function readYaml(source: string): Yaml {
  if (isTooLarge(source)) return TOO_LARGE;
  const counter = new LineCounter();
  const tokens = tokensOf(source, counter);
  if (!Array.isArray(tokens)) return refused(`nests deeper than ${MAX_DEPTH} levels`, tokens);
  const { document, faults } = compose(tokens, source.length);
  const found = [...faults, ...duplicateKeys(document)].sort((a, b) => a.offset - b.offset);
  if (found.length > 0) {
    const toFault = ({ offset, message }: YamlFault) =>
      ofFile(message.split('\n')[0] ?? 'not YAML', placeOf(counter, offset));
    return { ok: false, faults: firstFaults(found, toFault) };
  }
  const locate = (path: Path): Place => {
    for (let length = path.length; length >= 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: [number] } | undefined;
      if (node?.range) return placeOf(counter, node.range[0]);
    }
    return START;
  };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    const much = excess(value);
    return much ? refused(much) : { ok: true, value, locate };
  } catch (error) {
    return refused((error as Error).message);
  }
}
