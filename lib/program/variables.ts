/** Variables in a `drill.yaml`: `$LAB`, `$operation`, `$pg.url`, `${NAME}`; `$$` is a dollar. */

const PATTERN = /\$(?:(\$)|\{([A-Za-z_][\w.]*)\}|([A-Za-z_]\w*(?:\.[a-z]+)?))/g;

/** Names of the variables that a text uses, in the order of their appearance. */
export function variablesOf(text: string): string[] {
  return [...text.matchAll(PATTERN)]
    .map((match) => match[2] ?? match[3])
    .filter((name) => name !== undefined);
}

/** The text with its variables filled in; one without a value becomes the empty text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(PATTERN, (_, dollar, braced, plain) =>
    dollar ? '$' : (values[braced ?? plain] ?? ''),
  );
}

/** SQL with `$operation` as a quoted text; nothing else of it is touched. */
export function fillSql(sql: string, operation: string): string {
  return sql.replace(/\$operation\b/g, () => `'${operation.replaceAll("'", "''")}'`);
}

/** Takes the values of secrets out of a text. Short values stay: they would take words apart. */
export function redact(text: string, secrets: Readonly<Record<string, string>>): string {
  let clean = text;
  for (const [name, value] of Object.entries(secrets).sort((a, b) => b[1].length - a[1].length)) {
    if (value.length >= 4) clean = clean.replaceAll(value, `[${name}]`);
  }
  return clean;
}
