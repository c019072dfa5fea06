CREATE TABLE bundles (
  run          TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  -- Of the file as it came: the same file imported twice is one run.
  sha256       TEXT NOT NULL UNIQUE,
  code_version TEXT NOT NULL,
  code_digest  TEXT NOT NULL,
  node         TEXT NOT NULL,
  sqlite       TEXT NOT NULL,
  -- Id of the scenario in the bundle; the run itself counts as a run of none of ours.
  scenario     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE investigations (
  run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  operation   TEXT NOT NULL,
  owner       TEXT NOT NULL,
  PRIMARY KEY (run, operation)
) STRICT, WITHOUT ROWID;

CREATE TABLE predictions (
  run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL CHECK (seq >= 1),
  value       TEXT,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE processes (
  run         TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  pid         INTEGER NOT NULL,
  start_time  TEXT NOT NULL,
  pgid        INTEGER NOT NULL,
  PRIMARY KEY (run, seq, pid),
  FOREIGN KEY (run, seq) REFERENCES steps (run, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE replays (
  run          TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  bundle       TEXT NOT NULL REFERENCES bundles (run) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE run_totals (
  lab         TEXT NOT NULL,
  verdict     TEXT NOT NULL,
  finished    INTEGER NOT NULL,
  runs        INTEGER NOT NULL,
  disk_bytes  INTEGER NOT NULL,
  PRIMARY KEY (lab, verdict, finished)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id          TEXT PRIMARY KEY,
  lab         TEXT NOT NULL,
  -- Scenario id; NULL for free play.
  scenario    TEXT,
  -- The scenario as it was when the run began: a file that changes later changes no run.
  definition  TEXT,
  title       TEXT NOT NULL,
  without     TEXT NOT NULL DEFAULT '[]',
  -- 1 where the safeguards that are off are exactly those that the scenario itself switches off.
  faithful    INTEGER NOT NULL DEFAULT 1 CHECK (faithful IN (0, 1)),
  -- 1 once a step that the scenario does not have was added: from then on the run is free play.
  departed    INTEGER NOT NULL DEFAULT 0 CHECK (departed IN (0, 1)),
  created_at  TEXT NOT NULL,
  origin_run  TEXT,
  origin_label TEXT,
  steps_done  INTEGER NOT NULL DEFAULT 0,
  steps_total INTEGER,
  finished    INTEGER NOT NULL DEFAULT 0 CHECK (finished IN (0, 1)),
  verdict     TEXT NOT NULL DEFAULT 'in progress' CHECK (verdict IN ('holds', 'violated', 'unknown', 'in progress')),
  -- Checks, invariants and reasons behind the verdict, as JSON: made when a step ends, never when a page is shown.
  judgement   TEXT NOT NULL,
  effect      TEXT,
  decision    TEXT,
  disk_bytes  INTEGER NOT NULL DEFAULT 0,
  -- Labels of steps whose executors are held now, by the owner of the run's last step.
  holding     TEXT NOT NULL DEFAULT '[]',
  lost        INTEGER NOT NULL DEFAULT 0 CHECK (lost IN (0, 1)),
  -- 1 from the moment a deletion is decided until its directory and this row are gone.
  deleting    INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1))
) STRICT;

CREATE TABLE schema_version (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;

CREATE TABLE server (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  pid         INTEGER NOT NULL,
  start_time  TEXT NOT NULL,
  boot        TEXT NOT NULL
) STRICT;

CREATE TABLE steps (
  run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL CHECK (seq >= 1),
  label       TEXT NOT NULL,
  state       TEXT NOT NULL CHECK (state IN ('begun', 'done', 'failed', 'interrupted')),
  spec        TEXT NOT NULL,
  owner_pid   INTEGER NOT NULL,
  owner_start TEXT NOT NULL,
  boot        TEXT NOT NULL,
  -- The StepRecord, evidence included; NULL while the step is at work.
  record      TEXT,
  PRIMARY KEY (run, seq),
  UNIQUE (run, label),
  CHECK ((state = 'begun') = (record IS NULL))
) STRICT;

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

CREATE TABLE sweep_layers (
  sweep       TEXT NOT NULL REFERENCES sweeps (id) ON DELETE CASCADE,
  depth       INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  PRIMARY KEY (sweep, depth)
) STRICT, WITHOUT ROWID;

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

CREATE INDEX replays_of_bundle ON replays (bundle, run DESC);

CREATE INDEX runs_by_age ON runs (created_at DESC, id DESC) WHERE deleting = 0;

CREATE INDEX runs_by_lab ON runs (lab, created_at DESC, id DESC) WHERE deleting = 0;

CREATE INDEX runs_by_origin ON runs (origin_run) WHERE origin_run IS NOT NULL;

CREATE INDEX runs_by_scenario ON runs (scenario, finished, faithful, created_at DESC) WHERE deleting = 0;

CREATE INDEX runs_by_verdict ON runs (verdict, created_at DESC, id DESC) WHERE deleting = 0;

CREATE INDEX runs_deleting ON runs (id) WHERE deleting = 1;

CREATE INDEX runs_holding ON runs (id) WHERE holding <> '[]';

CREATE TRIGGER runs_counted AFTER INSERT ON runs WHEN new.deleting = 0 BEGIN
  INSERT INTO run_totals (lab, verdict, finished, runs, disk_bytes)
    VALUES (new.lab, new.verdict, new.finished, 1, new.disk_bytes)
    ON CONFLICT DO UPDATE SET runs = runs + 1, disk_bytes = disk_bytes + excluded.disk_bytes;
END;

CREATE TRIGGER runs_recounted AFTER UPDATE OF lab, verdict, finished, disk_bytes, deleting ON runs BEGIN
  UPDATE run_totals SET runs = runs - 1, disk_bytes = disk_bytes - old.disk_bytes
    WHERE old.deleting = 0 AND lab = old.lab AND verdict = old.verdict AND finished = old.finished;
  INSERT INTO run_totals (lab, verdict, finished, runs, disk_bytes)
    SELECT new.lab, new.verdict, new.finished, 1, new.disk_bytes WHERE new.deleting = 0
    ON CONFLICT DO UPDATE SET runs = runs + 1, disk_bytes = disk_bytes + excluded.disk_bytes;
END;

CREATE TRIGGER runs_uncounted AFTER DELETE ON runs WHEN old.deleting = 0 BEGIN
  UPDATE run_totals SET runs = runs - 1, disk_bytes = disk_bytes - old.disk_bytes
    WHERE lab = old.lab AND verdict = old.verdict AND finished = old.finished;
END;

CREATE INDEX steps_begun ON steps (run, seq) WHERE state = 'begun';

CREATE INDEX sweep_cells_by_layer ON sweep_cells (sweep, depth, verdict);

CREATE INDEX sweeps_by_lab ON sweeps (kind, lab, created_at DESC, id DESC);

CREATE INDEX sweeps_running ON sweeps (id) WHERE state = 'running';
