CREATE TABLE runs (
  tenant TEXT NOT NULL,
  run TEXT NOT NULL,
  -- The contract: frozen at the first call.
  principal TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  tool TEXT NOT NULL,
  expected_source TEXT NOT NULL,
  expected_title TEXT NOT NULL,
  expected_tool TEXT NOT NULL,
  budget INTEGER NOT NULL CHECK (budget >= 0),
  -- The record: every change is conditional on the state and the attempt that it was decided from.
  state TEXT NOT NULL CHECK (state IN ('created', 'waiting_approval', 'denied', 'dispatching', 'verifying',
    'reconcile_required', 'succeeded', 'failed', 'cancelled', 'budget_exhausted')),
  attempts INTEGER NOT NULL DEFAULT 0,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  ticket INTEGER,
  dispatched_at INTEGER,
  -- What keeps the record from being decided: an equal ticket that may be somebody else's.
  doubt TEXT CHECK (doubt IN ('ownership')),
  -- From this tick on the service's "not found" means that nothing dispatched before is there.
  sure_from INTEGER,
  PRIMARY KEY (tenant, run)
) STRICT;

CREATE TABLE compensations (
  tenant TEXT NOT NULL,
  run TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting_approval', 'denied', 'dispatching', 'verifying', 'compensated',
    'failed')),
  attempts INTEGER NOT NULL DEFAULT 0,
  ticket INTEGER NOT NULL,
  -- What is left of the original effect, as far as this record knows.
  residue TEXT NOT NULL,
  PRIMARY KEY (tenant, run),
  FOREIGN KEY (tenant, run) REFERENCES runs (tenant, run)
) STRICT;

-- What a person decided after a review: a row of its own beside the record, never changed.
CREATE TABLE decisions (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  run TEXT NOT NULL,
  conclusion TEXT NOT NULL CHECK (conclusion IN ('confirmed', 'absent', 'void')),
  ticket INTEGER,
  looked TEXT NOT NULL,
  showed TEXT NOT NULL,
  decided_by TEXT NOT NULL,
  FOREIGN KEY (tenant, run) REFERENCES runs (tenant, run)
) STRICT;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  tenant TEXT NOT NULL,
  run TEXT NOT NULL,
  slot TEXT NOT NULL CHECK (slot IN ('ticket', 'compensation')),
  kind TEXT NOT NULL,
  detail TEXT NOT NULL,
  FOREIGN KEY (tenant, run) REFERENCES runs (tenant, run)
) STRICT;
