CREATE TABLE tickets (
  ticket_id     INTEGER PRIMARY KEY AUTOINCREMENT,
  caller        TEXT NOT NULL,
  operation_key TEXT NOT NULL,
  payload       TEXT NOT NULL
) STRICT;

CREATE TABLE receipts (
  caller        TEXT NOT NULL,
  operation_key TEXT NOT NULL,
  payload_hash  TEXT NOT NULL,
  ticket_id     INTEGER NOT NULL REFERENCES tickets (ticket_id),
  response      TEXT NOT NULL,
  -- The sender's attempt that made the ticket; 0 for a delivery past the sender.
  attempt       INTEGER NOT NULL
) STRICT;

-- A separate index, so that the receiver that does without its protection can be shown to fail.
CREATE UNIQUE INDEX receipts_key ON receipts (caller, operation_key);

CREATE TABLE events (
  seq           INTEGER PRIMARY KEY,
  operation_key TEXT NOT NULL,
  caller        TEXT NOT NULL,
  event         TEXT NOT NULL,
  ticket_id     INTEGER,
  at            INTEGER NOT NULL
) STRICT;

-- The truth kept for judging: written in the ticket's own commit, never read by an executor.
CREATE TABLE ground_truth (
  seq           INTEGER PRIMARY KEY,
  ticket_id     INTEGER NOT NULL,
  -- 1 where the ticket was removed, by a sweeper that found no record of it.
  removed       INTEGER NOT NULL DEFAULT 0,
  caller        TEXT NOT NULL,
  operation_key TEXT NOT NULL,
  mode          TEXT NOT NULL,
  payload_hash  TEXT NOT NULL,
  -- The sender's attempt; 0 for a delivery past the sender.
  attempt       INTEGER NOT NULL
) STRICT
