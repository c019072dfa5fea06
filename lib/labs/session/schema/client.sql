-- owner: process and file that hold the connection. Never shown: it differs from run to run.
CREATE TABLE connections (
  epoch INTEGER PRIMARY KEY,
  owner TEXT NOT NULL,
  state TEXT NOT NULL,
  catalogue TEXT NOT NULL,
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
  note TEXT NOT NULL,
  pending TEXT NOT NULL
) STRICT
