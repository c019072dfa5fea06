/** Which function calls of a SELECT are known to write nothing. */
import type { Token } from './sql-tokens.ts';

/** Words that may stand before a parenthesis without being a function; types with a precision among them. */
const NO_FUNCTION = new Set(
  `all and any array as asc between bigint bit both by case cast char character check collate cross cube
  current_time current_timestamp dec decimal desc distinct double else end except exists extract filter float
  for from full group grouping having ilike in inner int integer intersect interval into is isnull join
  lateral left like limit localtime localtimestamp materialized natural not notnull numeric of offset on only
  or order outer over overlaps partition precision real recursive returning right rollup row rows select set
  sets similar smallint some symmetric table text then time timestamp timestamptz timetz to true false null
  union unique using values varchar varying when where window with within xmlexists`.split(/\s+/),
);

const READ_ONLY = new Set(
  `abs acos age any_value asin atan atan2 avg bit_and bit_length bit_or bit_xor bool_and bool_or btrim
  cardinality cbrt ceil ceiling char_length character_length chr clock_timestamp coalesce concat concat_ws
  convert convert_from convert_to corr cos cot count covar_pop covar_samp crc32 crc32c cume_dist
  current_catalog current_database current_date current_query current_role current_schema current_schemas
  current_setting current_user date date_add date_bin date_part date_subtract date_trunc decode degrees
  dense_rank div encode enum_first enum_last enum_range erf every exp factorial first_value floor format
  format_type gamma gcd gen_random_uuid generate_series generate_subscripts get_bit get_byte greatest host
  inet_client_addr inet_client_port inet_server_addr inet_server_port initcap isempty isfinite justify_days
  justify_hours justify_interval lag last_value lastval lcm lead least left length ln log log10 lower lpad
  ltrim make_date make_interval make_time make_timestamp make_timestamptz masklen max md5 min min_scale mod
  mode netmask network normalize now nth_value ntile nullif num_nonnulls num_nulls numnode obj_description
  col_description shobj_description octet_length overlay parse_ident percent_rank percentile_cont
  percentile_disc pi plainto_tsquery phraseto_tsquery position power querytree quote_ident quote_literal
  quote_nullable radians random range_agg range_merge rank regr_slope repeat replace reverse right round
  row_number row_to_json rpad rtrim scale session_user set_config set_masklen setweight sha224 sha256 sha384
  sha512 sign sin split_part sqrt starts_with statement_timestamp stddev stddev_pop stddev_samp strip strpos
  substr substring sum tan timeofday timezone to_ascii to_bin to_char to_date to_hex to_json to_jsonb
  to_number to_oct to_regclass to_regnamespace to_regproc to_regrole to_regtype to_timestamp to_tsquery
  to_tsvector translate transaction_timestamp treat trim trim_array trim_scale trunc ts_delete ts_filter
  ts_headline ts_rank ts_rank_cd tsvector_to_array txid_current txid_current_if_assigned txid_current_snapshot
  txid_snapshot_xmax txid_snapshot_xmin txid_status txid_visible_in_snapshot unistr unnest upper upper_inc
  lower_inc upper_inf lower_inf user uuid_extract_timestamp uuid_extract_version uuid_generate_v1
  uuid_generate_v4 uuidv4 uuidv7 var_pop var_samp variance version websearch_to_tsquery width_bucket xmlagg
  bool boolean bytea int2 int4 int8 float4 float8 json jsonb uuid regclass oidvectortypes
  pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_all
  pg_advisory_unlock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_try_advisory_lock
  pg_try_advisory_lock_shared pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared pg_backend_pid
  pg_blocking_pids pg_char_to_encoding pg_client_encoding pg_column_size pg_conf_load_time
  pg_current_snapshot pg_current_wal_lsn pg_current_xact_id pg_current_xact_id_if_assigned pg_database_size
  pg_encoding_to_char pg_index_column_has_property pg_indexes_size pg_input_is_valid pg_is_in_recovery
  pg_isolation_test_session_is_blocked pg_last_wal_replay_lsn pg_listening_channels pg_lock_status
  pg_my_temp_schema pg_postmaster_start_time pg_relation_size pg_safe_snapshot_blocking_pids
  pg_sequence_last_value pg_size_pretty pg_sleep pg_sleep_for pg_sleep_until pg_snapshot_xmax
  pg_snapshot_xmin pg_table_size pg_tablespace_size pg_timezone_abbrevs pg_timezone_names
  pg_total_relation_size pg_typeof pg_visible_in_snapshot pg_wal_lsn_diff pg_xact_commit_timestamp
  pg_xact_status`.split(/\s+/),
);

/** Whole families of built-in functions; every one of each only reads. */
const READ_ONLY_FAMILY =
  /^(json_|jsonb_|array_|string_(agg|to)|regexp_|regr_|pg_get_|pg_stat_get_|pg_show_|pg_options_|has_\w+_privilege|pg_has_role|\w+_is_visible|pg_collation_for)/;

export interface Call {
  /** With its schema. */
  name: string;
  reads: boolean;
}

/** Names of common table expressions: with a column list they look like a function. */
function withNames(all: Token[]): Set<string> {
  const names = new Set<string>();
  for (const [index, token] of all.entries()) {
    const before = all[index - 1]?.text;
    if (token.kind !== 'mark' && (before === 'with' || before === 'recursive' || before === ',')) {
      let next = index + 1;
      if (all[next]?.text === '(') {
        while (next < all.length && all[next]?.text !== ')') next += 1;
        next += 1;
      }
      if (all[next]?.text === 'as') names.add(token.text);
    }
  }
  return names;
}

/** True where a name before a parenthesis is an alias with a column list, or a type. */
function isAlias(before: Token | undefined): boolean {
  if (before === undefined) return false;
  if (before.kind === 'mark') return before.text === ')' || before.text === '::';
  if (before.kind === 'name') return true;
  if (before.kind === 'literal') return false;
  return before.text === 'as' || !NO_FUNCTION.has(before.text);
}

/**
 * @param all the tokens of one statement
 * @returns the functions that it calls, in their order
 */
export function calls(all: Token[]): Call[] {
  const found: Call[] = [];
  const expressions = withNames(all);
  for (const [index, token] of all.entries()) {
    if (all[index + 1]?.text !== '(' || all[index + 1]?.kind !== 'mark') continue;
    if (token.kind !== 'word' && token.kind !== 'name') continue;
    let first = index;
    while (all[first - 1]?.text === '.' && first >= 2) first -= 2;
    const qualified = first < index;
    if (!qualified && token.kind === 'word' && NO_FUNCTION.has(token.text)) continue;
    if (isAlias(all[first - 1])) continue;
    if (!qualified && expressions.has(token.text)) continue;
    const schema = qualified ? all[first]?.text : 'pg_catalog';
    const builtIn = schema === 'pg_catalog' || schema === 'information_schema';
    const reads = builtIn && (READ_ONLY.has(token.text) || READ_ONLY_FAMILY.test(token.text));
    const name = all.slice(first, index + 1).map((part) => part.text);
    found.push({ name: name.join(''), reads });
  }
  return found;
}
