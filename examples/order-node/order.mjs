// Charges an order at the bank, then marks it paid. Nothing in this file knows of a drill.
import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

mkdirSync('data', { recursive: true });
const orders = new DatabaseSync('data/orders.sqlite', { timeout: 5000 });
const bank = new DatabaseSync('data/bank.sqlite', { timeout: 5000 });

function init() {
  orders.exec('CREATE TABLE orders (id TEXT PRIMARY KEY, status TEXT NOT NULL)');
  bank.exec('CREATE TABLE charges (id INTEGER PRIMARY KEY, order_id TEXT NOT NULL, key TEXT UNIQUE)');
}

function submit(order) {
  const receipt = process.env.MODE === 'receipt';
  orders.prepare("INSERT INTO orders VALUES (?, 'pending') ON CONFLICT DO NOTHING").run(order);
  if (orders.prepare('SELECT status FROM orders WHERE id = ?').get(order).status === 'paid') return;
  bank
    .prepare('INSERT INTO charges (order_id, key) VALUES (?, ?) ON CONFLICT (key) DO NOTHING')
    .run(order, receipt ? order : null);
  orders.prepare("UPDATE orders SET status = 'paid' WHERE id = ?").run(order);
}

const [command, order] = process.argv.slice(2);
if (command === 'init') init();
else submit(order);
