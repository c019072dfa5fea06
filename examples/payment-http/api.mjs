// A payment API with Idempotency-Key: 400 missing, 409 in progress, 422 reused with another body; keys expire.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const db = new DatabaseSync('payments.sqlite', { timeout: 5000 });
const { MODE, PORT } = process.env;
const KEY_LIVES_MS = Number(process.env.KEY_LIVES_MS ?? 24 * 60 * 60 * 1000);
const working = new Set();

const body = async (request) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

function charge(order, key, digest) {
  db.exec('BEGIN IMMEDIATE');
  db.prepare('INSERT INTO charges (order_id) VALUES (?)').run(order);
  if (key) db.prepare('INSERT OR REPLACE INTO keys VALUES (?, ?, ?)').run(key, digest, Date.now());
  db.exec('COMMIT');
  return [201, { charged: order }];
}

function answer(order, key, digest) {
  if (MODE === 'no-key') return charge(order, null, digest);
  if (!key) return [400, { error: 'Idempotency-Key is missing' }];
  const known = db.prepare('SELECT digest, at FROM keys WHERE key = ?').get(key);
  if (known && Date.now() - known.at < KEY_LIVES_MS)
    return known.digest === digest
      ? [200, { charged: order }]
      : [422, { error: 'Idempotency-Key was used with another body' }];
  return charge(order, key, digest);
}

createServer(async (request, response) => {
  const text = await body(request);
  const key = request.headers['idempotency-key'];
  const send = (status, value) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (key && working.has(key)) return send(409, { error: 'in progress' });
  working.add(key);
  try {
    send(...answer(JSON.parse(text).order, key, createHash('sha256').update(text).digest('hex')));
  } finally {
    working.delete(key);
  }
}).listen(Number(PORT), '127.0.0.1');
