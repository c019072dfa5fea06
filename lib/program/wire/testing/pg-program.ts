/** A program that writes one row and says so. Arguments: port, database, `simple`, `extended` or `transaction`. */
import pg from 'pg';

const [port, database, way] = process.argv.slice(2);
const client = new pg.Client({ host: '127.0.0.1', port: Number(port), database, user: 'postgres' });
client.on('error', () => {});
await client.connect();
if (way === 'transaction') await client.query('BEGIN');
if (way === 'simple') await client.query("INSERT INTO rows VALUES ('a')");
else await client.query('INSERT INTO rows VALUES ($1)', ['a']);
if (way === 'transaction') await client.query('COMMIT');
console.log('written');
await client.end();
