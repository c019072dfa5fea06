/** Boundaries in pg, better-sqlite3 and ioredis: each hands itself over when it is loaded, by a line put at its end. */
import { pass } from './control.mjs';
import { around, redisPlace, replace, sqlPlace } from './places.mjs';

const HOOK = Symbol.for('recovery-drills.hook');

/** Which file of a library hands over what. */
const FILES = [
  [/\/pg\/lib\/(?:native\/)?client\.js$/, 'pg', 'module.exports'],
  [/\/better-sqlite3[\w-]*\/lib\/(?:index|[a-z]+-[a-z0-9]+)\.js$/, 'betterSqlite3', 'module.exports'],
  [/\/ioredis\/built\/(?:redis\/index|Redis|redis)\.js$/, 'ioredis', 'exports.default'],
];

/** Makes `done` of a callback: the boundary is passed before the program is given the result. */
function withAfter(callback, at) {
  return function (...args) {
    pass(at.after);
    return Reflect.apply(callback, this, args);
  };
}

/** The arguments of `client.query`, its callback wrapped; undefined where the call answers with a promise. */
function withCallback(args, at) {
  const [config, values, callback] = args;
  const where = typeof values === 'function' ? 1 : typeof callback === 'function' ? 2 : -1;
  if (where !== -1) {
    const wrapped = [...args];
    wrapped[where] = withAfter(args[where], at);
    return wrapped;
  }
  if (typeof config?.callback !== 'function') return undefined;
  // The program's own object stays as it is.
  const copy = Object.create(config, { callback: { value: withAfter(config.callback, at), writable: true } });
  return [copy, ...args.slice(1)];
}

/** A query object that is submitted itself says that it is over by one of two methods, once. */
function watchSubmittable(query, at) {
  let over = false;
  for (const method of ['handleReadyForQuery', 'handleError']) {
    const original = query[method];
    if (typeof original !== 'function') continue;
    query[method] = function (...args) {
      if (!over) pass(at.after);
      over = true;
      return Reflect.apply(original, this, args);
    };
  }
}

function pg(Client) {
  replace(
    Client.prototype,
    'query',
    (original) =>
      function (...args) {
        const [config] = args;
        const submitted = typeof config?.submit === 'function';
        const text = typeof config === 'string' ? config : (config?.text ?? config?.cursor?.text);
        const at = sqlPlace('pg', text);
        if (at === undefined) return Reflect.apply(original, this, args);
        pass(at.before);
        if (submitted) {
          watchSubmittable(config, at);
          return Reflect.apply(original, this, args);
        }
        const wrapped = withCallback(args, at);
        const result = Reflect.apply(original, this, wrapped ?? args);
        if (wrapped || typeof result?.then !== 'function') return result;
        return result.then(
          (value) => {
            pass(at.after);
            return value;
          },
          (error) => {
            pass(at.after);
            throw error;
          },
        );
      },
  );
}

/** A write that returns rows is over when its rows have been read, or are no longer asked for. */
export function watchIterator(iterator, at) {
  let over = false;
  const end = () => {
    if (!over) pass(at.after);
    over = true;
  };
  const own = (value) => ({ value, configurable: true, writable: true });
  const { next, return: leave } = iterator;
  const wrapped = {
    next: own(function (...args) {
      try {
        const step = Reflect.apply(next, this, args);
        if (step.done) end();
        return step;
      } catch (error) {
        end();
        throw error;
      }
    }),
  };
  if (typeof leave === 'function') {
    wrapped.return = own(function (...args) {
      const step = Reflect.apply(leave, this, args);
      end();
      return step;
    });
  }
  return Object.defineProperties(iterator, wrapped);
}

/**
 * Wraps the methods of a statement's prototype.
 *
 * @param {object} prototype
 * @param {(statement: object) => { before: any, after: any } | undefined} find
 */
export function wrapStatement(prototype, find) {
  for (const method of ['run', 'get', 'all']) {
    replace(prototype, method, (original) => around(original, find));
  }
  replace(
    prototype,
    'iterate',
    (original) =>
      function (...args) {
        const at = find(this);
        if (at === undefined) return Reflect.apply(original, this, args);
        pass(at.before);
        return watchIterator(Reflect.apply(original, this, args), at);
      },
  );
}

function betterSqlite3(Database) {
  const known = new WeakSet();
  const learn = (statement) => {
    const prototype = Object.getPrototypeOf(statement);
    if (known.has(prototype)) return;
    known.add(prototype);
    wrapStatement(prototype, (own) => sqlPlace('sqlite', own?.source));
  };
  const { prepare } = Database.prototype;
  replace(
    Database.prototype,
    'prepare',
    (original) =>
      function (...args) {
        const statement = Reflect.apply(original, this, args);
        learn(statement);
        return statement;
      },
  );
  replace(
    Database.prototype,
    'transaction',
    (original) =>
      function (...args) {
        // Its COMMIT is a prepared statement too, made out of our sight.
        if (typeof args[0] === 'function') learn(prepare.call(this, 'SELECT 1'));
        return Reflect.apply(original, this, args);
      },
  );
  replace(Database.prototype, 'exec', (original) => around(original, (_, [sql]) => sqlPlace('sqlite', sql)));
}

function ioredis(Redis) {
  /** A command comes by again after it waited for the connection. */
  const seen = new WeakSet();
  replace(
    Redis.prototype,
    'sendCommand',
    (original) =>
      function (...args) {
        const [command] = args;
        if (command !== null && typeof command === 'object' && !seen.has(command)) {
          seen.add(command);
          // What MULTI queues waits for its EXEC.
          const queued = command.inTransaction && command.name !== 'exec';
          const at = queued ? undefined : redisPlace(String(command.name), command.args ?? []);
          if (at !== undefined) {
            pass(at.before);
            command.resolve = withAfter(command.resolve, at);
            command.reject = withAfter(command.reject, at);
          }
        }
        return Reflect.apply(original, this, args);
      },
  );
}

/**
 * Hands a library over when its file is loaded.
 *
 * @param {typeof import('node:module')} module
 */
export function watchLibraries(module) {
  const given = new WeakSet();
  const takers = { pg, betterSqlite3, ioredis };
  const hand = (which, value) => {
    if (typeof value !== 'function' || given.has(value)) return;
    given.add(value);
    takers[which](value);
  };
  Object.defineProperty(globalThis, HOOK, { value: hand });
  module.registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const file = FILES.find(([pattern]) => pattern.test(url));
      if (!file || loaded.source === null || loaded.source === undefined) return loaded;
      const source =
        typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source).toString('utf8');
      const line = `\n;globalThis[Symbol.for('recovery-drills.hook')]('${file[1]}', ${file[2]});\n`;
      return { ...loaded, source: source + line };
    },
  });
}
