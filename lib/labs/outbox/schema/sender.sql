CREATE TABLE requests (
  operation_key TEXT PRIMARY KEY,
  caller        TEXT NOT NULL,
  mode          TEXT NOT NULL,
  payload       TEXT NOT NULL,
  payload_hash  TEXT NOT NULL,
  -- Which wish the key stands for: two runs of the same report are two wishes.
  wish          TEXT NOT NULL
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
  -- The process that works on the current attempt, until it records how that attempt ended.
  holder        TEXT,
  response      TEXT
) STRICT;

CREATE TABLE events (
  seq           INTEGER PRIMARY KEY,
  operation_key TEXT NOT NULL,
  event         TEXT NOT NULL,
  attempt       INTEGER,
  at            INTEGER NOT NULL,
  detail        TEXT
) STRICT;

-- Responses that came too late to change the outbox row. Nothing overwrites them.
CREATE TABLE late (
  seq           INTEGER PRIMARY KEY,
  operation_key TEXT NOT NULL REFERENCES outbox (operation_key),
  attempt       INTEGER NOT NULL,
  ticket_id     INTEGER,
  response      TEXT NOT NULL,
  at            INTEGER NOT NULL
) STRICT;

-- What a person decided about an operation in doubt, for the attempt that it was at.
CREATE TABLE decisions (
  seq           INTEGER PRIMARY KEY,
  operation_key TEXT NOT NULL REFERENCES outbox (operation_key),
  attempt       INTEGER NOT NULL,
  conclusion    TEXT NOT NULL CHECK (conclusion IN ('confirmed', 'absent', 'void')),
  ticket_id     INTEGER,
  looked        TEXT NOT NULL,
  showed        TEXT NOT NULL,
  decided_by    TEXT NOT NULL,
  at            INTEGER NOT NULL
) STRICT
