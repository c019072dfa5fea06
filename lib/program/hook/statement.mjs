/**
 * What a SQL text does, and a name for it. PostgreSQL and SQLite; no parser: a tokenizer that knows strings, dollar
 * quotes, comments and quoted identifiers, and the few words that tell a write from a read.
 */
import { MARK, NAME, statements, VALUE, WORD } from './tokens.mjs';

/** Identifiers that a program makes up (a partition named by a hash or a date) would differ from run to run. */
function stable(name) {
  return name
    .replace(/[0-9a-f]{8}([-_]?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}/gi, ':id')
    .replace(/(?=[a-f]*\d)[0-9a-f]{12,}/gi, ':id')
    .replace(/\d{4,}/g, ':n')
    .replace(/\s+/g, ' ')
    .slice(0, 80);
}

/** A reader of one statement's tokens. */
class Reader {
  constructor(list, at = 0) {
    this.list = list;
    this.at = at;
  }

  is(...words) {
    return words.every((word, i) => {
      const token = this.list[this.at + i];
      return token !== undefined && token.t !== NAME && token.t !== VALUE && token.v === word;
    });
  }

  /** Steps over the words where they are next. */
  skip(...words) {
    const found = this.is(...words);
    if (found) this.at += words.length;
    return found;
  }

  skipAny(set) {
    while (this.list[this.at]?.t === WORD && set.has(this.list[this.at].v)) this.at += 1;
  }

  /** A name, with its schema if it has one; empty where none is next. */
  name() {
    const parts = [];
    for (;;) {
      const token = this.list[this.at];
      if (token?.t !== WORD && token?.t !== NAME) break;
      parts.push(token.v);
      this.at += 1;
      if (!this.skip('.')) break;
    }
    return stable(parts.join('.'));
  }

  /** Steps over what a parenthesis encloses. */
  parenthesis() {
    let depth = 0;
    do {
      if (this.is('(')) depth += 1;
      if (this.is(')')) depth -= 1;
      this.at += 1;
    } while (depth > 0 && this.at < this.list.length);
  }
}

/** These change nothing that outlives their session. */
const SESSION = new Set(
  'begin start set reset show pragma values table declare fetch move close listen unlisten discard deallocate lock'
    .concat(' attach detach use describe desc')
    .split(' '),
);
const CHANGES = new Set(['insert', 'update', 'delete', 'merge', 'replace']);
const KIND_PREFIX = new Set(
  'or replace temp temporary unlogged global local unique concurrently recursive constraint virtual event'
    .concat(' foreign trusted procedural default')
    .split(' '),
);

/** Not a call although a parenthesis follows. */
const NO_CALL = new Set(
  `all and any array as asc between bigint binary bit blob boolean by case cast char character check conflict cross
  cube date dec decimal desc distinct double else end escape except exists extract filter float for from full glob
  group groups grouping having ilike in inner int integer intersect interval is join json jsonb key lateral left like
  limit materialized natural not nothing null nulls numeric of offset on only or order ordinality over partition
  precision range real recursive regexp returning right rollup row rows select set sets similar smallint some symmetric
  table tablesample text then time timestamp timestamptz timetz to trim overlay position substring union unique using
  uuid values varbit varchar varying when where window with within without`.split(/\s+/),
);

/** Built-in functions of PostgreSQL and SQLite that write nothing that outlives their transaction. */
const READS = new Set(
  `abs acos age any_value asin atan atan2 avg bool_and bool_or btrim cardinality cbrt ceil ceiling changes char
  char_length character_length chr clock_timestamp coalesce concat concat_ws corr cos cosh cot count cume_dist
  current_catalog current_database current_date current_query current_schema current_schemas current_setting
  current_time current_timestamp current_user date date_add date_bin date_part date_subtract date_trunc datetime decode
  degrees dense_rank div encode enum_first enum_last enum_range every exp extract factorial first_value floor format
  format_type gcd gen_random_bytes gen_random_uuid generate_series generate_subscripts get_bit get_byte glob greatest
  group_concat has_any_column_privilege has_column_privilege has_database_privilege has_function_privilege
  has_schema_privilege has_sequence_privilege has_table_privilege hashtext hashtextextended hex host hstore ifnull iif
  inet_client_addr inet_server_addr inet_server_port initcap instr int4range int8range isempty isfinite isnull
  iso_timestamp julianday justify_days justify_hours justify_interval lag last_insert_rowid last_value lastval lcm lead
  least left length like likelihood likely ln localtime localtimestamp log log10 log2 lower lower_inf lpad ltrim
  make_date make_interval make_time make_timestamp make_timestamptz masklen max md5 min mod mode network now nth_value
  ntile nullif num_nonnulls num_nulls numrange nummultirange obj_description octet_length octet_length overlay
  parse_ident percent_rank percentile_cont percentile_disc pi plainto_tsquery phraseto_tsquery position pow power printf
  quote quote_ident quote_literal quote_nullable radians random random_normal randomblob range_agg range_merge rank
  repeat replace reverse right round row_number row_to_json rpad rtrim scale session_user set_config set_masklen setseed
  setweight sha224 sha256 sha384 sha512 shobj_description sign sin sinh soundex split_part sqlite_compileoption_get
  sqlite_compileoption_used sqlite_source_id sqlite_version sqrt starts_with statement_timestamp stddev stddev_pop
  stddev_samp strftime strip string_agg string_to_array string_to_table strpos subdate substr substring sum tan tanh time
  timediff timeofday timezone to_ascii to_char to_date to_hex to_json to_jsonb to_number to_regclass to_regnamespace
  to_regproc to_regprocedure to_regrole to_regtype to_timestamp to_tsquery to_tsvector total total_changes
  transaction_timestamp translate trim trim_array trim_scale trunc ts_headline ts_rank ts_rank_cd tsrange tstzrange
  txid_current txid_current_if_assigned txid_current_snapshot typeof unhex unicode unistr unixepoch unlikely unnest upper
  upper_inf user uuid_generate_v1 uuid_generate_v4 uuidv4 uuidv7 var_pop var_samp variance version websearch_to_tsquery
  width_bucket xmlagg zeroblob`.split(/\s+/),
);
const READS_BY_PREFIX =
  /^(?:array_|bit_|int[248]$|json_|jsonb_|json$|jsonb$|regexp_|regr_|similarity|uuid_|xml|pg_(?:get_|try_advisory_|advisory_|size_|stat_get_|column_|current_|describe_|is_|last_|lsn|my_|table_|total_|database_size|encoding_|relation_|backend_pid|blocking_pids|conf_load_time|client_encoding|postmaster_start_time|snapshot_|sleep|tablespace_size|timezone_|typeof|visible|wal_lsn_diff|xact_))/;

/** The first function that a query calls and that may write; undefined where there is none. */
function writingCall(list) {
  for (let i = 1; i < list.length; i += 1) {
    if (list[i].t !== MARK || list[i].v !== '(') continue;
    const before = list[i - 1];
    if (before.t !== NAME && before.t !== WORD) continue;
    let first = i - 1;
    while (list[first - 1]?.v === '.' && first >= 2) first -= 2;
    const qualified = first < i - 1;
    const ahead = list[first - 1];
    if (!qualified && before.t === WORD && NO_CALL.has(before.v)) continue;
    // The column list of an alias, or of a common table expression.
    if (ahead?.t === WORD && ahead.v === 'as') continue;
    if (ahead?.t === MARK && ahead.v === ')') continue;
    const after = new Reader(list, i);
    after.parenthesis();
    if (after.is('as', '(') || after.is('as', 'materialized') || after.is('as', 'not', 'materialized'))
      continue;
    const own = !qualified || (list[first].v === 'pg_catalog' && i - first === 3);
    if (own && (READS.has(before.v) || READS_BY_PREFIX.test(before.v))) continue;
    return new Reader(list, first).name();
  }
  return undefined;
}

const write = (...words) => ({ name: words.filter(Boolean).join(' '), writes: true });
const read = (...words) => ({ name: words.filter(Boolean).join(' '), writes: false });

/** `INSERT INTO t`, `UPDATE ONLY t`, `DELETE FROM t`, `MERGE INTO t`, `REPLACE INTO t`, `INSERT OR IGNORE INTO t`. */
function change(reader) {
  const verb = reader.list[reader.at].v;
  reader.at += 1;
  if (reader.skip('or')) reader.at += 1;
  reader.skip('into');
  reader.skip('from');
  reader.skip('only');
  return write((verb === 'replace' ? 'insert' : verb).toUpperCase(), reader.name());
}

/** A query, with what it is built of: it writes by SELECT INTO, or by a function that may write. */
function query(list, at) {
  const call = writingCall(list);
  if (call !== undefined) return write('SELECT', call);
  let depth = 0;
  let from = '';
  const reader = new Reader(list, at);
  for (; reader.at < list.length; reader.at += 1) {
    if (reader.is('(')) depth += 1;
    else if (reader.is(')')) depth -= 1;
    else if (depth === 0 && reader.is('into')) {
      reader.at += 1;
      reader.skipAny(KIND_PREFIX);
      reader.skip('table');
      return write('SELECT INTO', reader.name());
    } else if (depth === 0 && from === '' && reader.skip('from')) {
      reader.skip('only');
      from = reader.name();
      reader.at -= 1;
    }
  }
  return read('SELECT', from);
}

/** The main statement where it changes something, else the first part of the WITH that does. */
function withQuery(list) {
  let depth = 0;
  let inner;
  for (let i = 1; i < list.length; i += 1) {
    const { t, v } = list[i];
    if (t === MARK && v === '(') depth += 1;
    else if (t === MARK && v === ')') depth -= 1;
    else if (t === WORD && CHANGES.has(v) && (depth === 0 || list[i - 1].v === '(')) {
      const next = list[i + 1];
      // `replace(...)` is a function too, and `FOR UPDATE` a lock.
      if (next?.t === MARK || list[i - 1].v === 'for') continue;
      const found = change(new Reader(list, i));
      if (depth === 0) return found;
      inner ??= found;
    } else if (t === WORD && v === 'select' && depth === 0) {
      const main = query(list, i);
      return inner ?? main;
    }
  }
  return inner ?? query(list, 1);
}

function definition(reader, verb) {
  reader.skipAny(KIND_PREFIX);
  const kind = reader.list[reader.at]?.t === WORD ? reader.list[reader.at].v : '';
  reader.at += 1;
  const view = kind === 'materialized' && reader.skip('view');
  reader.skip('concurrently');
  reader.skip('if', 'not', 'exists');
  reader.skip('if', 'exists');
  reader.skip('only');
  // An index may have no name of its own.
  reader.skip('on');
  return write(verb, view ? 'MATERIALIZED VIEW' : kind.toUpperCase(), reader.name());
}

function copy(reader) {
  if (reader.is('(')) {
    const inner = statement(new Reader(reader.list, reader.at + 1));
    return { name: `COPY ${inner.name}`, writes: inner.writes };
  }
  const name = reader.name();
  if (reader.is('(')) reader.parenthesis();
  return reader.is('from') ? write('COPY', name) : read('COPY', name);
}

function explain(reader) {
  let runs = false;
  for (;;) {
    if (reader.is('(')) {
      const from = reader.at;
      reader.parenthesis();
      runs ||= reader.list.slice(from, reader.at).some((token) => token.v === 'analyze');
    } else if (reader.skip('analyze')) runs = true;
    else if (!reader.skip('verbose') && !reader.skip('query', 'plan')) break;
  }
  const inner = statement(reader);
  return { name: `EXPLAIN ${inner.name}`, writes: runs && inner.writes };
}

const WITH_A_NAME = new Set([
  'truncate',
  'call',
  'refresh',
  'reindex',
  'cluster',
  'vacuum',
  'analyze',
  'execute',
  'notify',
]);
const NOISE = new Set([
  'table',
  'materialized',
  'view',
  'concurrently',
  'only',
  'index',
  'database',
  'schema',
  'full',
  'verbose',
]);

function transaction(reader, verb) {
  // Who dies beside a rollback leaves what it would have left without it. RELEASE can be SQLite's COMMIT.
  if (verb === 'savepoint' || verb === 'abort') return read(verb === 'abort' ? 'ROLLBACK' : 'SAVEPOINT');
  if (verb === 'end' || verb === 'commit')
    return write(reader.skip('prepared') ? 'COMMIT PREPARED' : 'COMMIT');
  reader.skip('transaction');
  reader.skip('work');
  if (verb === 'prepare') return write('PREPARE TRANSACTION');
  if (verb === 'release') return write('RELEASE');
  if (reader.is('prepared')) return write('ROLLBACK PREPARED');
  return read(reader.is('to') ? 'ROLLBACK TO' : 'ROLLBACK');
}

/** What one statement does. */
function statement(reader) {
  while (reader.skip('(')) {}
  const first = reader.list[reader.at];
  if (first?.t !== WORD) return { name: 'OTHER', writes: first !== undefined };
  const verb = first.v;
  if (CHANGES.has(verb)) return change(reader);
  if (verb === 'select') return query(reader.list.slice(reader.at), 1);
  if (verb === 'with') return withQuery(reader.list.slice(reader.at));
  if (verb === 'values' || verb === 'table') {
    const call = writingCall(reader.list);
    if (call !== undefined) return write('SELECT', call);
  }
  reader.at += 1;
  if (verb === 'explain') return explain(reader);
  if (verb === 'copy') return copy(reader);
  if (verb === 'prepare') return reader.is('transaction') ? transaction(reader, verb) : read('PREPARE');
  if (SESSION.has(verb)) return read(verb === 'start' ? 'BEGIN' : verb.toUpperCase());
  if (/^(?:end|commit|abort|rollback|savepoint|release)$/.test(verb)) return transaction(reader, verb);
  if (verb === 'create' || verb === 'alter' || verb === 'drop') return definition(reader, verb.toUpperCase());
  if (!WITH_A_NAME.has(verb)) return write(stable(verb.toUpperCase()));
  reader.skipAny(NOISE);
  return write(verb.toUpperCase(), reader.name());
}

const MOST_NAMED = 3;

/**
 * Names a SQL text without its literals, and says whether it can write.
 *
 * Everything can write but what changes only its session (BEGIN, ROLLBACK, SET, SHOW, PRAGMA and the like) and queries
 * that call nothing but known functions that only read. Several statements in one text have one name, made of the
 * first three that differ: those that write, if any does.
 *
 * @param {string} sql one or more statements
 * @returns {{ name: string, writes: boolean }} for example `{ name: 'UPDATE pgboss.job', writes: true }`
 */
export function fingerprint(sql) {
  const all = statements(sql).map((list) => statement(new Reader(list)));
  const writing = all.filter(({ writes }) => writes);
  const names = [...new Set((writing.length > 0 ? writing : all).map(({ name }) => name))];
  const shown = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ', ...' : '');
  return { name: shown || 'EMPTY', writes: writing.length > 0 };
}
