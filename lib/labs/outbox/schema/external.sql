-- A tool without operation keys: it cannot tell a repeated call from a new wish.
CREATE TABLE tickets (
  ticket_id     INTEGER PRIMARY KEY AUTOINCREMENT,
  payload       TEXT NOT NULL
) STRICT;

CREATE TABLE events (
  seq           INTEGER PRIMARY KEY,
  event         TEXT NOT NULL,
  ticket_id     INTEGER NOT NULL,
  at            INTEGER NOT NULL
) STRICT;

-- The truth kept for judging: written in the ticket's own commit, never read by an executor.
CREATE TABLE ground_truth (
  seq           INTEGER PRIMARY KEY,
  ticket_id     INTEGER NOT NULL,
  caller        TEXT NOT NULL,
  operation_key TEXT NOT NULL,
  mode          TEXT NOT NULL,
  payload_hash  TEXT NOT NULL,
  -- The sender's attempt; 0 for a delivery past the sender.
  attempt       INTEGER NOT NULL
) STRICT
