/** Boundaries in what Node brings: fs, child_process, node:sqlite, http and fetch. */
import childProcess from 'node:child_process';
import channels from 'node:diagnostics_channel';
import fs from 'node:fs';
import { pass } from './control.mjs';
import { wrapStatement } from './libraries.mjs';
import { around, httpPlace, place, replace, sqlPlace } from './places.mjs';

/** A promise that is settled when the boundary behind it has been passed. */
function settled(promise, at) {
  return promise.then(
    (value) => {
      pass(at.after);
      return value;
    },
    (error) => {
      pass(at.after);
      throw error;
    },
  );
}

const asPromise = (at) => (original) => {
  return function (...args) {
    pass(at.before);
    return settled(Reflect.apply(original, this, args), at);
  };
};

const asCallback = (at) => (original) => {
  return function (...args) {
    const callback = args.at(-1);
    // Without a callback it throws.
    if (typeof callback !== 'function') return Reflect.apply(original, this, args);
    pass(at.before);
    args[args.length - 1] = function (...results) {
      pass(at.after);
      return Reflect.apply(callback, this, results);
    };
    return Reflect.apply(original, this, args);
  };
};

export function watchFiles() {
  for (const name of ['rename', 'fsync', 'fdatasync']) {
    const at = place('fs', name);
    if (at === undefined) continue;
    replace(fs, `${name}Sync`, (original) => around(original, () => at));
    replace(fs, name, asCallback(at));
    if (name === 'rename') replace(fs.promises, name, asPromise(at));
  }
  // The class of the handles is not exported: the first handle shows it.
  let known = false;
  const learn = (handle) => {
    if (known) return handle;
    known = true;
    for (const [method, name] of [
      ['sync', 'fsync'],
      ['datasync', 'fdatasync'],
    ]) {
      const at = place('fs', name);
      if (at !== undefined) replace(Object.getPrototypeOf(handle), method, asPromise(at));
    }
    return handle;
  };
  replace(
    fs.promises,
    'open',
    (original) =>
      function (...args) {
        return Reflect.apply(original, this, args).then(learn);
      },
  );
}

const baseName = (path) => String(path).split(/[\\/]/).at(-1) || 'unknown';

/** The program by its name; for a shell the first word of what it is given. */
function programName(file, args) {
  const name = baseName(file);
  const [, flag, command] = args ?? [];
  const word =
    flag === '-c' && /^(?:ba|da|z)?sh$/.test(name) ? /^\s*([\w./-]+)/.exec(command)?.[1] : undefined;
  return baseName(word ?? name);
}

/** The program that a synchronous start names; a shell's command is looked at as the shell would be given it. */
function syncName(args) {
  const options = args.find(
    (argument, i) => i > 0 && argument !== null && typeof argument === 'object' && !Array.isArray(argument),
  );
  const program = String(args[0]);
  return options?.shell ? programName('sh', ['sh', '-c', program]) : baseName(program);
}

export function watchProcesses() {
  // Every asynchronous start comes by here: spawn, fork, exec and execFile, their promises too.
  replace(
    childProcess.ChildProcess.prototype,
    'spawn',
    (original) =>
      function (...args) {
        const [options] = args;
        const at = place('spawn', programName(options?.file, options?.args));
        if (at === undefined) return Reflect.apply(original, this, args);
        pass(at.before);
        const result = Reflect.apply(original, this, args);
        if (this.pid !== undefined) this.prependOnceListener('exit', () => pass(at.after));
        return result;
      },
  );
  for (const method of ['spawnSync', 'execFileSync']) {
    replace(childProcess, method, (original) =>
      around(original, (_, args) => place('spawn', syncName(args))),
    );
  }
  replace(childProcess, 'execSync', (original) =>
    around(original, (_, [command]) => place('spawn', programName('sh', ['sh', '-c', String(command)]))),
  );
}

/** Node publishes every request before it is sent and when its reply's head has come: nothing needs to be wrapped. */
export function watchRequests() {
  channels.subscribe('http.client.request.created', ({ request }) => {
    pass(httpPlace(request.method, request.path)?.before);
  });
  channels.subscribe('http.client.response.finish', ({ request }) => {
    pass(httpPlace(request.method, request.path)?.after);
  });
  channels.subscribe('undici:request:create', ({ request }) => {
    pass(httpPlace(request.method, request.path)?.before);
  });
  channels.subscribe('undici:request:headers', ({ request }) => {
    pass(httpPlace(request.method, request.path)?.after);
  });
}

function patchSqlite({ DatabaseSync, StatementSync }) {
  const prepared = new WeakMap();
  replace(DatabaseSync.prototype, 'exec', (original) =>
    around(original, (_, [sql]) => sqlPlace('sqlite', sql)),
  );
  replace(
    DatabaseSync.prototype,
    'prepare',
    (original) =>
      function (...args) {
        const statement = Reflect.apply(original, this, args);
        prepared.set(statement, sqlPlace('sqlite', args[0]));
        return statement;
      },
  );
  wrapStatement(StatementSync.prototype, (statement) => prepared.get(statement));
}

/**
 * Waits for node:sqlite to be asked for: where it is experimental, loading it prints a warning.
 *
 * @param {typeof import('node:module')} module
 */
export function watchSqlite(module) {
  let patched = false;
  const load = process.getBuiltinModule;
  const patch = () => {
    if (patched) return;
    patched = true;
    const sqlite = Reflect.apply(load, process, ['node:sqlite']);
    if (sqlite) patchSqlite(sqlite);
  };
  replace(
    process,
    'getBuiltinModule',
    (original) =>
      function (...args) {
        if (args[0] === 'node:sqlite') patch();
        return Reflect.apply(original, this, args);
      },
  );
  module.registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === 'node:sqlite') patch();
      return nextResolve(specifier, context);
    },
  });
}
