-- A crash matrix or a safeguard table at work or done; its cells are recorded one by one, so that a server that is
-- killed goes on from them.
CREATE TABLE sweeps (
  id          TEXT PRIMARY KEY,
  kind        TEXT NOT NULL CHECK (kind IN ('matrix', 'safeguards')),
  lab         TEXT NOT NULL,
  -- Faults in a cell; of a safeguard table, how many rules are missing at once.
  depth       INTEGER NOT NULL CHECK (depth BETWEEN 1 AND 3),
  without     TEXT NOT NULL DEFAULT '[]',
  state       TEXT NOT NULL CHECK (state IN ('running', 'done', 'cancelled', 'failed')),
  created_at  TEXT NOT NULL,
  owner_pid   INTEGER NOT NULL,
  owner_start TEXT NOT NULL,
  boot        TEXT NOT NULL,
  verdict     TEXT CHECK (verdict IN ('holds', 'violated', 'unknown')),
  -- The report without its cells; NULL while at work.
  report      TEXT,
  -- Why it failed.
  error       TEXT
) STRICT;

CREATE INDEX sweeps_by_lab ON sweeps (kind, lab, created_at DESC, id DESC);
CREATE INDEX sweeps_running ON sweeps (id) WHERE state = 'running';

-- The size of a layer is known when the one before it is done.
CREATE TABLE sweep_layers (
  sweep       TEXT NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  depth       INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  PRIMARY KEY (sweep, depth)
) STRICT, WITHOUT ROWID;

CREATE TABLE sweep_cells (
  sweep       TEXT NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  key         TEXT NOT NULL,
  depth       INTEGER NOT NULL,
  verdict     TEXT NOT NULL CHECK (verdict IN ('holds', 'violated', 'unknown')),
  -- What a table shows of it; small.
  summary     TEXT NOT NULL,
  -- What replays it and what the next layer starts from.
  result      TEXT NOT NULL,
  PRIMARY KEY (sweep, key)
) STRICT;

CREATE INDEX sweep_cells_by_layer ON sweep_cells (sweep, depth, verdict);
