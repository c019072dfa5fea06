import Database from 'better-sqlite3';

/** Pays for the first use of SQLite in this process: a statement on a database that lives in memory alone. */
export function warmSqlite(): void {
  const db = new Database(':memory:');
  db.exec('CREATE TABLE warm (x)');
  db.prepare('INSERT INTO warm VALUES (?)').run(1);
  db.prepare('SELECT x FROM warm').get();
  db.pragma('foreign_keys = ON');
  db.close();
}
