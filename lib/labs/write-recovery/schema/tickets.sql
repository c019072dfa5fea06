-- What the service publishes about itself: how far its look-up lags, and whether it knows operation keys.
CREATE TABLE service (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  lag INTEGER NOT NULL CHECK (lag >= 0),
  keys INTEGER NOT NULL CHECK (keys IN (0, 1))
) STRICT;

CREATE TABLE tickets (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  -- NULL where the service knows no keys.
  key TEXT,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'in_review', 'void')),
  created_at INTEGER NOT NULL,
  UNIQUE (tenant, key)
) STRICT;

CREATE TABLE voids (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL,
  key TEXT,
  ticket INTEGER NOT NULL REFERENCES tickets (id),
  UNIQUE (tenant, key)
) STRICT;

-- The truth kept for judging. No executor reads it.
CREATE TABLE ground_truth (
  seq INTEGER PRIMARY KEY,
  ticket INTEGER NOT NULL,
  operation TEXT,
  actor TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL
) STRICT;
