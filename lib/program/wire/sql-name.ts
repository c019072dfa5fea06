/** Names of SQL statements: the verb and what it touches, without literals, ids and long numbers. */
import type { Named } from './control.ts';
import { calls } from './sql-functions.ts';
import { statements, type Token, tokens } from './sql-tokens.ts';

/** One statement; `prepares` and `executes` are names of SQL's own PREPARE and EXECUTE. */
export interface Statement extends Named {
  prepares?: string;
  executes?: string;
}

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}|(?=[a-z_]*\d)[0-9a-f]{12,}|\d{4,}/gi;
const WRITING_VERB = new Set(['insert', 'update', 'delete', 'merge']);
const MAIN_VERB = new Set([...WRITING_VERB, 'select', 'values', 'table']);

/**
 * Statements that leave nothing behind that others see or that outlives the connection. ROLLBACK and the
 * savepoints are among them: a process that dies beside one leaves what it would leave at its neighbours.
 */
const READS = new Set(
  `begin start set show reset rollback abort savepoint release listen unlisten discard deallocate fetch move
  close lock checkpoint load`.split(/\s+/),
);
const OBJECT_MODIFIERS = new Set(
  `or replace temp temporary unlogged unique global local recursive procedural trusted constraint if not
  exists concurrently only`.split(/\s+/),
);

/** The name that begins at `from`, with its schema; empty where there is none. */
function nameAt(all: Token[], from: number): string {
  const parts: string[] = [];
  for (let at = from; at < all.length; at += 2) {
    const token = all[at];
    if (token?.kind !== 'word' && token?.kind !== 'name') break;
    parts.push(token.text.replace(ID, '#'));
    if (all[at + 1]?.text !== '.') break;
  }
  return parts.join('.');
}

/** The name after the given words, each of which may be missing. */
function nameAfter(all: Token[], from: number, ...skip: string[]): string {
  let at = from;
  while (all[at]?.kind === 'word' && skip.includes(all[at]?.text ?? '')) at += 1;
  return nameAt(all, at);
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function writing(all: Token[], at: number): string {
  const verb = all[at]?.text ?? '';
  return joined(verb.toUpperCase(), nameAfter(all, at + 1, 'into', 'from', 'only'));
}

/** Where a statement with common table expressions has its own verb. */
function mainVerb(all: Token[]): number {
  let depth = 0;
  for (const [index, token] of all.entries()) {
    if (token.kind === 'mark' && token.text === '(') depth += 1;
    else if (token.kind === 'mark' && token.text === ')') depth -= 1;
    else if (depth === 0 && token.kind === 'word' && MAIN_VERB.has(token.text)) return index;
  }
  return -1;
}

/** Where a common table expression writes; -1 where none does. */
function writingExpression(all: Token[]): number {
  return all.findIndex(
    (token, at) =>
      token.kind === 'word' &&
      WRITING_VERB.has(token.text) &&
      all[at - 1]?.text === '(' &&
      /^(as|materialized)$/.test(all[at - 2]?.text ?? ''),
  );
}

/** The INTO of `SELECT … INTO table`, outside parentheses. */
function selectInto(all: Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < all.length; at += 1) {
    const token = all[at] as Token;
    if (token.kind === 'mark' && token.text === '(') depth += 1;
    else if (token.kind === 'mark' && token.text === ')') depth -= 1;
    else if (depth === 0 && token.kind === 'word' && token.text === 'into') return at;
  }
  return -1;
}

/** SELECT, VALUES, TABLE and WITH: what a query writes, or that it only reads. */
function query(all: Token[]): Named {
  const main = mainVerb(all);
  const verb = all[main]?.text ?? '';
  if (WRITING_VERB.has(verb)) return { name: writing(all, main), writes: true };
  const expression = writingExpression(all);
  if (expression !== -1) return { name: writing(all, expression), writes: true };
  const into = verb === 'select' ? selectInto(all, main) : -1;
  if (into !== -1) {
    const table = nameAfter(all, into + 1, 'temp', 'temporary', 'unlogged', 'table');
    return { name: joined('SELECT INTO', table), writes: true };
  }
  const called = calls(all);
  const unknown = called.find((call) => !call.reads);
  if (unknown) return { name: `SELECT ${unknown.name.replace(ID, '#')}`, writes: true };
  if (verb === 'table') return { name: joined('TABLE', nameAfter(all, main + 1, 'only')), writes: false };
  const from = all.findIndex((token, at) => at > main && token.kind === 'word' && token.text === 'from');
  const table = from === -1 ? '' : nameAfter(all, from + 1, 'only', 'lateral');
  return { name: joined(verb.toUpperCase() || 'WITH', table || (called[0]?.name ?? '')), writes: false };
}

/** COPY: from the client it writes; to the client it reads, unless the query inside it writes. */
function copy(all: Token[]): Named {
  if (all[1]?.text === '(') {
    let depth = 0;
    const end = all.findIndex((token, at) => {
      if (at === 0 || token.kind !== 'mark') return false;
      if (token.text === '(') depth += 1;
      else if (token.text === ')') depth -= 1;
      return depth === 0;
    });
    const inner = statement(all.slice(2, end === -1 ? undefined : end));
    return { name: `COPY ${inner.name}`, writes: inner.writes };
  }
  const direction = all.find((token) => token.kind === 'word' && /^(from|to)$/.test(token.text));
  return { name: joined('COPY', nameAt(all, 1)), writes: direction?.text !== 'to' };
}

/** EXPLAIN runs its statement only with ANALYZE. */
function explain(all: Token[]): Named {
  const start = all.findIndex(
    (token, at) =>
      at > 0 &&
      token.kind === 'word' &&
      (MAIN_VERB.has(token.text) || /^(with|create|execute)$/.test(token.text)),
  );
  const inner = statement(start === -1 ? [] : all.slice(start));
  const runs = all
    .slice(0, start === -1 ? undefined : start)
    .some((token) => /^analy[zs]e$/.test(token.text));
  return { name: joined('EXPLAIN', inner.name), writes: runs && inner.writes };
}

function definition(all: Token[], verb: string): Named {
  let at = 1;
  const skip = () => {
    while (all[at]?.kind === 'word' && OBJECT_MODIFIERS.has(all[at]?.text ?? '')) at += 1;
  };
  skip();
  const object = [all[at]?.kind === 'word' ? (all[at]?.text ?? '') : ''];
  at += 1;
  if (
    /^(materialized|foreign|event|access|text|default|user)$/.test(object[0] ?? '') &&
    all[at]?.kind === 'word'
  ) {
    object.push(all[at]?.text ?? '');
    at += 1;
  }
  skip();
  return { name: joined(verb.toUpperCase(), object.join(' ').toUpperCase(), nameAt(all, at)), writes: true };
}

/** Names one statement. */
function statement(given: Token[]): Statement {
  const all = given.slice(given.findIndex((token) => token.text !== '('));
  const verb = all[0]?.kind === 'word' ? all[0].text : '';
  const second = all[1]?.kind === 'word' ? all[1].text : '';
  if (WRITING_VERB.has(verb)) return { name: writing(all, 0), writes: true };
  if (MAIN_VERB.has(verb) || verb === 'with') return query(all);
  if (/^(commit|end|rollback|prepare)$/.test(verb) && /^(prepared|transaction)$/.test(second)) {
    const durable = second === 'prepared' || verb === 'prepare';
    const plain = verb === 'end' ? 'COMMIT' : verb.toUpperCase();
    if (durable) return { name: `${plain} ${second.toUpperCase()}`, writes: true };
  }
  if (verb === 'commit' || verb === 'end') return { name: 'COMMIT', writes: true };
  if (verb === 'prepare') {
    const as = all.findIndex((token) => token.kind === 'word' && token.text === 'as');
    const { name, writes } = statement(as === -1 ? [] : all.slice(as + 1));
    return { name, writes, prepares: all[1]?.text ?? '' };
  }
  if (verb === 'execute')
    return { name: joined('EXECUTE', nameAt(all, 1)), writes: true, executes: all[1]?.text ?? '' };
  if (verb === 'copy') return copy(all);
  if (verb === 'explain') return explain(all);
  if (verb === 'declare') {
    const cursor = all.findIndex((token) => token.kind === 'word' && token.text === 'for');
    const inner = statement(cursor === -1 ? [] : all.slice(cursor + 1));
    return { name: joined('DECLARE', inner.name), writes: inner.writes };
  }
  if (READS.has(verb)) return { name: (verb === 'abort' ? 'rollback' : verb).toUpperCase(), writes: false };
  if (verb === 'do') return { name: 'DO', writes: true };
  if (/^(create|alter|drop|reindex|refresh)$/.test(verb)) return definition(all, verb);
  if (verb === '') return { name: '', writes: false };
  const name = /^(grant|revoke|comment)$/.test(verb)
    ? ''
    : nameAfter(all, 1, 'table', 'only', 'full', 'freeze', 'verbose', 'analyze');
  return { name: joined(verb.toUpperCase(), name), writes: true };
}

/**
 * @param sql a query string of one or more statements; may be cut off
 * @returns the statements with their names
 */
export function nameStatements(sql: string): Statement[] {
  return statements(tokens(sql)).map(statement);
}

const NAMED_AT_MOST = 3;

/**
 * The one name of a query string: its statements that write, the same ones in a row once, three at most.
 *
 * @param all the statements of the string
 */
export function nameTogether(all: Named[]): Named {
  const writers = all.filter(({ writes }) => writes);
  const shown = (writers.length > 0 ? writers : all)
    .map(({ name }) => name)
    .filter((name, at, names) => name !== '' && name !== names[at - 1]);
  const more = shown.length > NAMED_AT_MOST ? '; …' : '';
  return { name: shown.slice(0, NAMED_AT_MOST).join('; ') + more, writes: writers.length > 0 };
}
