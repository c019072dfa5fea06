/** SQL of PostgreSQL as tokens: enough to name a statement, without its literals and comments. */

export interface Token {
  /** `word` is lower case and may be a keyword; `name` was quoted and is none; literals are `literal`. */
  kind: 'word' | 'name' | 'literal' | 'mark';
  text: string;
}

const SPACE = /\s+/y;
const WORD = /[\p{L}_\u0080-\uffff][\p{L}\p{N}_$\u0080-\uffff]*/uy;
const NUMBER = /\.?\d[\w.]*(?:(?<=[eE])[+-]?\d+)?/y;
const PARAMETER = /\$\d+/y;
const DOLLAR_TAG = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;
const LINE_COMMENT = /--[^\r\n]*/y;
const PLAIN_STRING = /'[^']*(?:''[^']*)*(?:'|$)/y;
const ESCAPE_STRING = /'[^'\\]*(?:(?:''|\\[\s\S]?)[^'\\]*)*(?:'|$)/y;
const QUOTED = /"[^"]*(?:""[^"]*)*(?:"|$)/y;

/** The end of a block comment that begins at `from`; they nest. */
function commentEnd(sql: string, from: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = from;
  let depth = 0;
  for (let mark = marks.exec(sql); mark; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}

/**
 * @param sql one or more statements; may be cut off anywhere
 * @returns its tokens
 */
export function tokens(sql: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const text = pattern.exec(sql)?.[0];
    if (text) at += text.length;
    return text;
  };
  while (at < sql.length) {
    if (take(SPACE) || take(LINE_COMMENT)) continue;
    if (sql.startsWith('/*', at)) {
      at = commentEnd(sql, at);
      continue;
    }
    const word = take(WORD);
    if (word !== undefined) {
      const lower = word.toLowerCase();
      if (sql[at] === "'" && /^(e|b|x|n)$/.test(lower)) {
        take(lower === 'e' ? ESCAPE_STRING : PLAIN_STRING);
        found.push({ kind: 'literal', text: '' });
      } else found.push({ kind: 'word', text: lower });
      continue;
    }
    const quoted = take(QUOTED);
    if (quoted !== undefined) {
      found.push({ kind: 'name', text: quoted.slice(1, -1).replaceAll('""', '"') });
      continue;
    }
    const tag = take(DOLLAR_TAG);
    if (tag !== undefined) {
      const end = sql.indexOf(tag, at);
      at = end === -1 ? sql.length : end + tag.length;
      found.push({ kind: 'literal', text: '' });
    } else if (take(PLAIN_STRING) || take(NUMBER) || take(PARAMETER)) {
      found.push({ kind: 'literal', text: '' });
    } else {
      const mark = sql.startsWith('::', at) ? '::' : (sql[at] as string);
      at += mark.length;
      found.push({ kind: 'mark', text: mark });
    }
  }
  return found;
}

/**
 * @param all the tokens of a query string
 * @returns its statements: cut at semicolons outside parentheses and outside `BEGIN ATOMIC … END`
 */
export function statements(all: Token[]): Token[][] {
  const found: Token[][] = [];
  let current: Token[] = [];
  let depth = 0;
  let body = 0;
  for (const [index, token] of all.entries()) {
    if (token.kind === 'mark' && token.text === '(') depth += 1;
    if (token.kind === 'mark' && token.text === ')') depth = Math.max(0, depth - 1);
    if (token.kind === 'word') {
      if (token.text === 'atomic' && all[index - 1]?.text === 'begin' && current[0]?.text === 'create')
        body = 1;
      else if (body > 0 && token.text === 'case') body += 1;
      else if (body > 0 && token.text === 'end') body -= 1;
    }
    if (token.kind === 'mark' && token.text === ';' && depth === 0 && body === 0) {
      if (current.length > 0) found.push(current);
      current = [];
    } else current.push(token);
  }
  if (current.length > 0) found.push(current);
  return found;
}
