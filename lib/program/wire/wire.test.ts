import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DrillError } from '#lib/core/errors.ts';
import { controlDir, wireCase } from './testing/wire-case.ts';
import { startWire, type WireKind, wireActions } from './wire.ts';

test('an action that makes no sense at a boundary is refused in one sentence', async (t) => {
  const cases: [WireKind, string, string, RegExp][] = [
    [
      'postgres',
      'pg COMMIT before',
      'exit',
      /"exit" does not fit "pg COMMIT before": a proxy can kill, hold or lose-request, here\.$/,
    ],
    ['postgres', 'pg COMMIT before', 'lose-reply', /use it at a boundary that ends with "after"\.$/],
    ['redis', 'redis SET after', 'error-reply', /only http services have it\.$/],
    ['http', 'http POST /charges before', 'delay-reply', /ends with "after"\.$/],
    ['http', 'http POST /charges after', 'abort', /a proxy can .* or error-reply, here\.$/],
  ];
  for (const [kind, at, action, message] of cases) {
    const control = controlDir(t, [{ at, action }]);
    const options = { service: 'x', kind, target: { host: '127.0.0.1', port: 1 }, control, kill: () => {} };
    await assert.rejects(startWire(options), (error) => {
      assert.ok(error instanceof DrillError);
      assert.equal(error.code, 'usage');
      assert.match(error.message, message);
      return true;
    });
  }
});

test('every action that is offered at a boundary is accepted there', async (t) => {
  const names = { postgres: 'pg COMMIT', redis: 'redis SET', http: 'http POST /' } as const;
  for (const kind of ['postgres', 'redis', 'http'] as const) {
    for (const side of ['before', 'after'] as const) {
      for (const action of wireActions(kind, side)) {
        await wireCase(t, kind, 1, [{ at: `${names[kind]} ${side}`, action }]);
      }
    }
  }
});
