"""Adds a column, then records the migration: in two commits, or in one."""
import os
import sqlite3
import sys

from boundary import boundary

db = sqlite3.connect("app.sqlite", isolation_level=None)


def init():
    db.execute("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    db.execute("CREATE TABLE migrations (id TEXT PRIMARY KEY)")


def migrate(migration):
    if db.execute("SELECT 1 FROM migrations WHERE id = ?", (migration,)).fetchone():
        return
    one_commit = os.environ["MODE"] == "one-commit"
    if one_commit:
        db.execute("BEGIN IMMEDIATE")
    boundary("before-change")
    db.execute("ALTER TABLE users ADD COLUMN email TEXT")
    boundary("after-change")
    db.execute("INSERT INTO migrations VALUES (?)", (migration,))
    boundary("after-record")
    if one_commit:
        db.execute("COMMIT")
    boundary("after-commit")


if __name__ == "__main__":
    init() if sys.argv[1] == "init" else migrate(sys.argv[2])
