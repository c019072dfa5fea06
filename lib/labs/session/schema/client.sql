-- owner and server: the processes at both ends, and the file. Never shown: they differ from run to run.
CREATE TABLE connections (
  epoch INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  state TEXT NOT NULL,
  catalogue TEXT NOT NULL,
  server TEXT,
  server_code INTEGER,
  server_signal TEXT,
  server_log TEXT
) STRICT;

CREATE TABLE operations (
  operation TEXT PRIMARY KEY,
  tool TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  epoch INTEGER NOT NULL REFERENCES connections (epoch),
  request TEXT NOT NULL,
  ticket INTEGER
) STRICT;

CREATE TABLE requests (
  request TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL REFERENCES connections (epoch),
  method TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL
) STRICT;

CREATE TABLE messages (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  epoch INTEGER NOT NULL REFERENCES connections (epoch),
  direction TEXT NOT NULL,
  transport TEXT NOT NULL,
  method TEXT,
  id TEXT,
  operation TEXT,
  about TEXT,
  ticket INTEGER,
  note TEXT NOT NULL,
  pending TEXT NOT NULL
) STRICT;

-- What a person decided about an operation that the evidence left open. Rows are only added.
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  operation TEXT NOT NULL REFERENCES operations (operation),
  conclusion TEXT NOT NULL,
  reference INTEGER,
  looked TEXT NOT NULL,
  showed TEXT NOT NULL,
  decided_by TEXT NOT NULL
) STRICT
