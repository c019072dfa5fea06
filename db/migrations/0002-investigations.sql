-- Who looks into an operation that nobody could decide. What is open follows from the run; the owner is free text.
CREATE TABLE investigations (
  run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  operation   TEXT NOT NULL,
  owner       TEXT NOT NULL,
  PRIMARY KEY (run, operation)
) STRICT, WITHOUT ROWID;
