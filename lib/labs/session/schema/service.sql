CREATE TABLE documents (
  document TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- One row for each accepted update: the service's own proof that it accepted it.
CREATE TABLE updates (
  operation TEXT PRIMARY KEY,
  document TEXT NOT NULL REFERENCES documents (document),
  from_version INTEGER NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;

-- request: the request that made the ticket; NULL where its client had no connection.
-- unique_key repeats operation_key; with the rule switched off it is NULL, and NULLs are never equal.
CREATE TABLE tickets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  operation_key TEXT NOT NULL,
  unique_key TEXT UNIQUE,
  request TEXT,
  tool TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL
) STRICT;

-- The reply to each call, as bytes, in the commit that made it true: what a late delivery delivers.
CREATE TABLE replies (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  operation_key TEXT NOT NULL,
  request TEXT NOT NULL,
  bytes TEXT NOT NULL
) STRICT;

CREATE TABLE ground_truth (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  target TEXT NOT NULL,
  operation TEXT,
  actor TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL
) STRICT;

INSERT INTO documents VALUES ('report', 1, 'draft')
