-- Runs that came in a bundle: shown and replayed, never gone on with. The bundle itself lies in the run's directory.
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

-- Runs of a bundle's scenario, here.
CREATE TABLE replays (
  run          TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  bundle       TEXT NOT NULL REFERENCES bundles (run) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX replays_of_bundle ON replays (bundle, run DESC);
