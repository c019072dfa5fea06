// Asks the payment API to charge an order, then marks it paid.
import { DatabaseSync } from 'node:sqlite';

const orders = new DatabaseSync('orders.sqlite', { timeout: 5000 });
const [command, order] = process.argv.slice(2);

if (command === 'init') {
  orders.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)');
  const payments = new DatabaseSync('payments.sqlite');
  payments.exec('CREATE TABLE charges (n INTEGER PRIMARY KEY, order_id TEXT NOT NULL)');
  payments.exec('CREATE TABLE keys (key TEXT PRIMARY KEY, digest TEXT NOT NULL, at INTEGER NOT NULL)');
  process.exit(0);
}
orders.prepare("INSERT INTO orders VALUES (?, 'pending') ON CONFLICT DO NOTHING").run(order);
if (orders.prepare('SELECT status FROM orders WHERE id = ?').get(order).status === 'paid') process.exit(0);
const response = await fetch(`${process.env.API_URL}/charges`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': order },
  body: JSON.stringify({ order, cents: 4200 }),
});
if (!response.ok) throw new Error(`the API answers ${response.status}`);
orders.prepare("UPDATE orders SET status = 'paid' WHERE id = ?").run(order);
