/** What a schema cannot see: names that refer to each other, variables, paths, programs. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, normalize, sep } from 'node:path';
import { didYouMean } from './did-you-mean.ts';
import type { Finding, Path } from './load.ts';
import type { ProgramSpec } from './schema.ts';
import { NAMED_INVARIANTS } from './schema.ts';
import { variablesOf } from './variables.ts';

const OURS = /^[A-Z_][A-Z0-9_]*$/;
const RESERVED = /^(DRILL_.*|PATH|HOME)$/;
const SERVICE_MEMBERS = ['url', 'host', 'port'];

class Findings {
  readonly list: Finding[] = [];
  readonly folder: string | null;
  private readonly spec: ProgramSpec;

  constructor(spec: ProgramSpec, folder: string | null) {
    this.spec = spec;
    this.folder = folder;
  }

  add(path: Path, message: string): void {
    this.list.push({ path, message });
  }

  refer(path: Path, name: string, known: readonly string[], what: string): boolean {
    if (known.includes(name)) return true;
    this.add(path, `There is no ${what} "${name}".${didYouMean(name, known)}`);
    return false;
  }

  /** @param ours whether the text may name a variable of our own environment */
  variables(path: Path, text: string, local: readonly string[], ours = false): void {
    const services = Object.keys(this.spec.services).flatMap((id) =>
      SERVICE_MEMBERS.map((m) => `${id}.${m}`),
    );
    const known = ['LAB', 'operation', ...services, ...local];
    for (const name of variablesOf(text)) {
      if (known.includes(name) || (ours && OURS.test(name))) continue;
      const hint = didYouMean(name, known);
      const where =
        OURS.test(name) && hint === '' ? ' Only env may name a variable of your environment.' : hint;
      this.add(path, `There is no variable $${name} here.${where}`);
    }
  }

  words(path: Path, words: readonly string[], local: readonly string[]): void {
    words.forEach((word, index) => {
      this.variables([...path, index], word, local);
      this.labPath([...path, index], word, index < 2);
    });
    const program = words[0] as string;
    if (this.folder === null || program.includes('$')) return;
    if (!findProgram(program))
      this.add([...path, 0], `There is no program "${program}"${program.includes('/') ? '' : ' on PATH'}.`);
  }

  /** A word that starts in the folder of the file must stay in it, symbolic links followed. */
  private labPath(path: Path, word: string, needed: boolean): void {
    if (!/^\$(LAB|\{LAB\})\//.test(word)) return;
    const rest = normalize(word.slice(word.indexOf('/') + 1));
    if (rest === '..' || rest.startsWith(`..${sep}`)) {
      this.add(path, `${word} leads out of the folder of the file.`);
      return;
    }
    if (this.folder === null) return;
    const file = join(this.folder, rest);
    if (!existsSync(file)) {
      if (needed) this.add(path, `There is no file ${word}.`);
      return;
    }
    if (!realpathSync(file).startsWith(this.folder + sep))
      this.add(path, `${word} is a link that leads out of the folder of the file.`);
  }

  env(path: Path, env: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(env)) {
      if (RESERVED.test(name)) this.add([...path, name], `${name} is given by the drill and cannot be set.`);
      this.variables([...path, name], value, [], true);
    }
  }
}

/** The file of a program as PATH finds it, or null. */
export function findProgram(name: string): string | null {
  const candidates = name.includes('/')
    ? [name]
    : (process.env.PATH ?? '')
        .split(delimiter)
        .filter(Boolean)
        .map((folder) => join(folder, name));
  for (const file of candidates) {
    try {
      if (!statSync(file).isFile()) continue;
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // Not there, or not to be executed: the next folder may have it.
    }
  }
  return null;
}

function services(found: Findings, spec: ProgramSpec): void {
  for (const [id, service] of Object.entries(spec.services)) {
    const path = ['services', id];
    for (const kind of ['postgres', 'redis', 'http'] as const) {
      const url = service[kind];
      if (url === undefined || url === 'embedded') continue;
      found.variables([...path, kind], url, [], true);
      const schemes = { postgres: /^postgres(ql)?:\/\//, redis: /^redis:\/\//, http: /^http:\/\// }[kind];
      if (!url.startsWith('$') && !schemes.test(url))
        found.add([...path, kind], `It must be ${kind === 'http' ? '' : 'embedded or '}a ${kind} URL.`);
    }
    if (service.env) found.env([...path, 'env'], service.env);
    const local = ['PORT', ...Object.keys(spec.env), ...Object.keys(service.env ?? {})];
    if (service.run) found.words([...path, 'run'], service.run, local);
    if (service.ready) found.variables([...path, 'ready', 'port'], service.ready.port, local);
    if (service.reset) found.words([...path, 'reset'], service.reset, local);
  }
}

function stores(found: Findings, spec: ProgramSpec): void {
  for (const [id, store] of Object.entries(spec.stores)) {
    const path = ['stores', id];
    if (store.sqlite !== undefined) {
      const rest = normalize(store.sqlite);
      if (isAbsolute(rest) || rest === '..' || rest.startsWith(`..${sep}`))
        found.add(
          [...path, 'sqlite'],
          'A store lies in the directory of the run: the path may not leave it.',
        );
    }
    if (store.postgres !== undefined) {
      const known = Object.keys(spec.services).filter((name) => spec.services[name]?.postgres !== undefined);
      found.refer([...path, 'postgres'], store.postgres, known, 'PostgreSQL service');
    }
    if (store.command) found.words([...path, 'command'], store.command, Object.keys(spec.env));
  }
}

function queries(found: Findings, spec: ProgramSpec): void {
  const known = Object.keys(spec.stores);
  const one = (path: Path, query: { store: string; sql?: string | undefined }) => {
    if (!found.refer([...path, 'store'], query.store, known, 'store')) return;
    const command = spec.stores[query.store]?.command !== undefined;
    if (command && query.sql !== undefined)
      found.add([...path, 'sql'], `The store "${query.store}" is a command: its rows are what it prints.`);
    if (!command && query.sql === undefined) found.add(path, `The store "${query.store}" needs sql.`);
  };
  for (const [id, panel] of Object.entries(spec.panels)) {
    if (Array.isArray(panel))
      panel.forEach((query, index) => {
        one(['panels', id, index], query);
      });
    else if (panel) one(['panels', id], panel);
  }
  one(['effects'], spec.effects);
  spec.invariants.forEach((invariant, index) => {
    if (typeof invariant === 'string') return;
    const path = ['invariants', index];
    if (
      found.refer([...path, 'store'], invariant.store, known, 'store') &&
      spec.stores[invariant.store]?.command
    )
      found.add([...path, 'store'], 'An invariant needs a store that answers SQL.');
    if (invariant.id in NAMED_INVARIANTS) found.add([...path, 'id'], `"${invariant.id}" is a name of ours.`);
  });
}

function commands(found: Findings, spec: ProgramSpec): void {
  const known = Object.keys(spec.commands);
  for (const [id, command] of Object.entries(spec.commands)) {
    const path = ['commands', id];
    if (command.env) found.env([...path, 'env'], command.env);
    found.words([...path, 'run'], command.run, [...Object.keys(spec.env), ...Object.keys(command.env ?? {})]);
    if (!command.until) continue;
    const store = command.until.store;
    const there = found.refer([...path, 'until', 'store'], store, Object.keys(spec.stores), 'store');
    if (there && spec.stores[store]?.command)
      found.add([...path, 'until', 'store'], 'It needs a store that answers SQL.');
  }
  for (const list of ['procedure', 'recovery'] as const) {
    spec[list].forEach((name, index) => {
      found.refer([list, index], name, known, 'command');
    });
  }
}

/**
 * Faults of a file whose parts are well formed one by one.
 *
 * @param folder real path of the file's folder; null leaves out what only the file system can tell
 */
export function referenceFaults(spec: ProgramSpec, folder: string | null): Finding[] {
  const found = new Findings(spec, folder);
  services(found, spec);
  found.env(['env'], spec.env);
  spec.setup.forEach((words, index) => {
    found.words(['setup', index], words, Object.keys(spec.env));
  });
  stores(found, spec);
  queries(found, spec);
  commands(found, spec);
  if (spec.panels[spec.settled.panel] === undefined)
    found.add(['settled', 'panel'], `There is no panel "${spec.settled.panel}" to read it from.`);
  spec.operations.forEach((id, index) => {
    if (spec.operations.indexOf(id) !== index) found.add(['operations', index], `"${id}" is there twice.`);
  });
  const invariants = spec.invariants.map((one) => (typeof one === 'string' ? one : one.id));
  invariants.forEach((id, index) => {
    if (invariants.indexOf(id) !== index) found.add(['invariants', index], `"${id}" is there twice.`);
  });
  for (const [id, variant] of Object.entries(spec.variants)) {
    if (variant.env) found.env(['variants', id, 'env'], variant.env);
    variant.violates.forEach((name, index) => {
      found.refer(['variants', id, 'violates', index], name, invariants, 'invariant');
    });
  }
  return found.list;
}
