-- One file on purpose: even inside one database, three commits are three commits.

-- The ledger. Nothing here refers to a receipt and no receipt refers here: each must be able to outlive the other,
-- or the drill could not show what is left when one of them is lost.
CREATE TABLE operations (
  operation TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  target TEXT NOT NULL REFERENCES targets (target),
  expected_version INTEGER NOT NULL CHECK (expected_version >= 1),
  value INTEGER NOT NULL CHECK (value IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('pending', 'complete', 'reconciled', 'rejected', 'uncertain'))
) STRICT;

CREATE TABLE targets (
  target TEXT PRIMARY KEY,
  version INTEGER NOT NULL CHECK (version >= 1),
  block_public_access INTEGER NOT NULL CHECK (block_public_access IN (0, 1))
) STRICT;

CREATE TABLE receipts (
  operation TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  target TEXT NOT NULL REFERENCES targets (target),
  from_version INTEGER NOT NULL,
  version INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  operation TEXT NOT NULL,
  kind TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- Reviewed decisions about what the evidence leaves unknown. Rows are added and never changed.
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  operation TEXT NOT NULL,
  conclusion TEXT NOT NULL CHECK (conclusion IN ('confirmed', 'absent', 'void')),
  reference TEXT,
  looked TEXT NOT NULL,
  showed TEXT NOT NULL,
  decided_by TEXT NOT NULL
) STRICT;

-- The truth kept for judging. Written in the target's own commit by whoever changes the target; no command reads it.
CREATE TABLE ground_truth (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  target TEXT NOT NULL,
  operation TEXT,
  actor TEXT NOT NULL,
  from_version INTEGER NOT NULL,
  from_value INTEGER NOT NULL,
  to_version INTEGER NOT NULL,
  to_value INTEGER NOT NULL
) STRICT;

INSERT INTO targets (target, version, block_public_access) VALUES ('synthetic-bucket', 1, 0);
