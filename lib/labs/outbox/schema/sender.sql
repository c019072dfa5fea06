CREATE TABLE requests (
  operation_key TEXT PRIMARY KEY,
  caller        TEXT NOT NULL,
  mode          TEXT NOT NULL,
  payload       TEXT NOT NULL,
  payload_hash  TEXT NOT NULL
) STRICT;

CREATE TABLE outbox (
  operation_key TEXT PRIMARY KEY REFERENCES requests (operation_key),
  caller        TEXT NOT NULL,
  mode          TEXT NOT NULL CHECK (mode IN ('naive', 'mark_before', 'idempotent', 'external')),
  payload       TEXT NOT NULL,
  payload_hash  TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('pending', 'inflight', 'done', 'unknown', 'blocked')),
  attempts      INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  lease         INTEGER,
  response      TEXT
) STRICT;

CREATE TABLE events (
  seq           INTEGER PRIMARY KEY,
  operation_key TEXT NOT NULL,
  event         TEXT NOT NULL,
  attempt       INTEGER,
  at            INTEGER NOT NULL,
  detail        TEXT
) STRICT
