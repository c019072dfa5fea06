-- One row a run. What lists and the catalogue show stands in the row itself, so that they never read a step.
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
  verdict     TEXT NOT NULL DEFAULT 'unknown' CHECK (verdict IN ('holds', 'violated', 'unknown')),
  effect      TEXT,
  decision    TEXT,
  disk_bytes  INTEGER NOT NULL DEFAULT 0,
  -- Labels of steps whose executors are held now, by the owner of the run's last step.
  holding     TEXT NOT NULL DEFAULT '[]',
  lost        INTEGER NOT NULL DEFAULT 0 CHECK (lost IN (0, 1)),
  -- 1 from the moment a deletion is decided until its directory and this row are gone.
  deleting    INTEGER NOT NULL DEFAULT 0 CHECK (deleting IN (0, 1))
) STRICT;

CREATE INDEX runs_by_age ON runs (created_at DESC, id DESC) WHERE deleting = 0;
CREATE INDEX runs_by_lab ON runs (lab, created_at DESC, id DESC) WHERE deleting = 0;
CREATE INDEX runs_by_verdict ON runs (verdict, created_at DESC, id DESC) WHERE deleting = 0;
CREATE INDEX runs_by_scenario ON runs (scenario, finished, faithful, created_at DESC) WHERE deleting = 0;
CREATE INDEX runs_by_origin ON runs (origin_run) WHERE origin_run IS NOT NULL;
CREATE INDEX runs_deleting ON runs (id) WHERE deleting = 1;
CREATE INDEX runs_holding ON runs (id) WHERE holding <> '[]';

-- One row a step, written before its process starts (DESIGN.md, "A run survives the dashboard").
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

CREATE INDEX steps_begun ON steps (run, seq) WHERE state = 'begun';

-- Executors of a step, written after they were started and before they were given work.
CREATE TABLE processes (
  run         TEXT NOT NULL,
  seq         INTEGER NOT NULL,
  pid         INTEGER NOT NULL,
  start_time  TEXT NOT NULL,
  pgid        INTEGER NOT NULL,
  PRIMARY KEY (run, seq, pid),
  FOREIGN KEY (run, seq) REFERENCES steps (run, seq) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What a person said would happen. `value` is JSON; NULL where the question was skipped.
CREATE TABLE predictions (
  run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL CHECK (seq >= 1),
  value       TEXT,
  PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;

-- The one server of this data directory.
CREATE TABLE server (
  one         INTEGER PRIMARY KEY CHECK (one = 1),
  pid         INTEGER NOT NULL,
  start_time  TEXT NOT NULL,
  boot        TEXT NOT NULL
) STRICT;
