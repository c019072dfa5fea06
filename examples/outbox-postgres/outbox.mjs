// A transactional outbox with a relay that leases a message, delivers it to another database and marks it done.
import pg from 'pg';

const LEASE_MS = 400;
const IDLE_MS = 50;

async function connect(url) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => process.exit(75));
  await client.connect();
  return client;
}

const app = await connect(process.env.DATABASE_URL);
const world = await connect(process.env.WORLD_URL);

async function init() {
  await app.query('CREATE TABLE orders (id text PRIMARY KEY, status text NOT NULL)');
  await app.query(
    `CREATE TABLE outbox (id serial PRIMARY KEY, order_id text NOT NULL UNIQUE REFERENCES orders,
       done boolean NOT NULL DEFAULT false, leased_until timestamptz NOT NULL DEFAULT '-infinity')`,
  );
  await world.query(
    'CREATE TABLE deliveries (id serial PRIMARY KEY, order_id text NOT NULL, key text UNIQUE)',
  );
}

async function submit(order) {
  await app.query('BEGIN');
  await app.query("INSERT INTO orders VALUES ($1, 'accepted') ON CONFLICT DO NOTHING", [order]);
  await app.query('INSERT INTO outbox (order_id) VALUES ($1) ON CONFLICT DO NOTHING', [order]);
  await app.query('COMMIT');
}

async function relayOne() {
  const { rows } = await app.query(
    `UPDATE outbox SET leased_until = now() + $1 * interval '1 millisecond'
     WHERE id = (SELECT id FROM outbox WHERE NOT done AND leased_until < now() ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING id, order_id`,
    [LEASE_MS],
  );
  const message = rows[0];
  if (!message) return false;
  const key = process.env.MODE === 'keyed' ? `message-${message.id}` : null;
  await world.query('INSERT INTO deliveries (order_id, key) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING', [
    message.order_id,
    key,
  ]);
  await app.query('BEGIN');
  await app.query('UPDATE outbox SET done = true WHERE id = $1', [message.id]);
  await app.query("UPDATE orders SET status = 'delivered' WHERE id = $1", [message.order_id]);
  await app.query('COMMIT');
  return true;
}

async function relay() {
  let running = true;
  process.once('SIGTERM', () => {
    running = false;
  });
  while (running) if (!(await relayOne())) await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
}

const [command, order] = process.argv.slice(2);
if (command === 'init') await init();
else if (command === 'submit') await submit(order);
else await relay();
await app.end();
await world.end();
