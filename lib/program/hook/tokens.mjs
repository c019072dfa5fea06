/** The tokens of a SQL text: strings, dollar quotes, comments and quoted identifiers are told from words. */

/** `v` is the text as it is compared: words in lower case, quoted identifiers as they are. */
export const WORD = 'word';
export const NAME = 'name';
export const VALUE = 'value';
export const MARK = 'mark';

const SPACE = /\s+/y;
const LINE_COMMENT = /--[^\n]*/y;
const IDENTIFIER = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /0[xX][0-9a-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?/y;
const DOLLAR = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const PARAMETER = /\$\w+|\?\d*|[:@#][A-Za-z_]\w*/y;
/** After these a bracket opens a quoted identifier (SQLite), elsewhere a subscript (PostgreSQL). */
const BEFORE_NAME = new Set(['into', 'update', 'from', 'table', 'join', 'exists', 'index', 'on', '.']);

function match(pattern, sql, at) {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0];
}

/** The index after a quoted text that opens at `at`. */
function closing(sql, at, quote, backslash) {
  for (let i = at + 1; i < sql.length; i += 1) {
    if (backslash && sql[i] === '\\') i += 1;
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1;
      i += 1;
    }
  }
  return sql.length;
}

/** PostgreSQL nests block comments, SQLite does not: one that nests and never ends is read as SQLite reads it. */
function afterComment(sql, at) {
  let depth = 0;
  for (let i = at; i < sql.length; i += 1) {
    if (sql[i] === '/' && sql[i + 1] === '*') {
      depth += 1;
      i += 1;
    } else if (sql[i] === '*' && sql[i + 1] === '/') {
      depth -= 1;
      i += 1;
      if (depth === 0) return i + 1;
    }
  }
  const first = sql.indexOf('*/', at + 2);
  return first === -1 ? sql.length : first + 2;
}

function quoted(sql, at, end, quote) {
  return { t: NAME, v: sql.slice(at + 1, end - 1).replaceAll(quote + quote, quote), end };
}

function wordAt(sql, at, text) {
  const end = at + text.length;
  const prefix = /^(?:e|b|x|n|u&)$/i.test(text) || (/^u$/i.test(text) && sql[end] === '&');
  const open = sql[end] === '&' ? end + 1 : end;
  if (prefix && sql[open] === "'")
    return { t: VALUE, v: "'", end: closing(sql, open, "'", /^e$/i.test(text)) };
  if (prefix && open > end && sql[open] === '"') return quoted(sql, open, closing(sql, open, '"'), '"');
  return { t: WORD, v: text.toLowerCase(), end };
}

function dollarAt(sql, at) {
  const tag = match(DOLLAR, sql, at);
  const close = tag === undefined ? -1 : sql.indexOf(tag, at + tag.length);
  if (close !== -1) return { t: VALUE, v: "'", end: close + tag.length };
  return { t: VALUE, v: '?', end: at + (match(PARAMETER, sql, at)?.length ?? 1) };
}

function tokenAt(sql, at, last) {
  const c = sql[at];
  if (c === "'") return { t: VALUE, v: "'", end: closing(sql, at, "'", false) };
  if (c === '"' || c === '`') return quoted(sql, at, closing(sql, at, c), c);
  if (c === '[' && last && last.t !== NAME && BEFORE_NAME.has(last.v)) {
    return quoted(sql, at, closing(sql, at, ']'), ']');
  }
  if (c === '$') return dollarAt(sql, at);
  const word = match(IDENTIFIER, sql, at);
  if (word !== undefined) return wordAt(sql, at, word);
  const number = /[\d.]/.test(c) ? match(NUMBER, sql, at) : undefined;
  if (number !== undefined) return { t: VALUE, v: '0', end: at + number.length };
  if (c === ':' && sql[at + 1] === ':') return { t: MARK, v: '::', end: at + 2 };
  const parameter = /[?:@#]/.test(c) ? match(PARAMETER, sql, at) : undefined;
  if (parameter !== undefined) return { t: VALUE, v: '?', end: at + parameter.length };
  return { t: MARK, v: c, end: at + 1 };
}

function tokens(sql) {
  const found = [];
  for (let at = 0; at < sql.length; ) {
    const space = match(SPACE, sql, at) ?? match(LINE_COMMENT, sql, at);
    if (space !== undefined) at += space.length;
    else if (sql[at] === '/' && sql[at + 1] === '*') at = afterComment(sql, at);
    else {
      const token = tokenAt(sql, at, found.at(-1));
      found.push(token);
      at = token.end;
    }
  }
  return found;
}

/** The statements of a text. The body of a trigger or of a routine in standard SQL holds semicolons of its own. */
export function statements(sql) {
  const all = [[]];
  let body = 0;
  for (const token of tokens(sql)) {
    const now = all.at(-1);
    const creates = now[0]?.t === WORD && now[0].v === 'create';
    if (creates && token.t === WORD) {
      if (token.v === 'begin' || (body > 0 && token.v === 'case')) body += 1;
      else if (body > 0 && token.v === 'end') body -= 1;
    }
    if (token.t === MARK && token.v === ';' && body === 0) {
      if (now.length > 0) all.push([]);
    } else now.push(token);
  }
  return all.filter((statement) => statement.length > 0);
}
