-- Counts that the list of runs shows, kept by triggers: counting 10,000 rows for every page would not stay cheap.
CREATE TABLE run_totals (
  lab         TEXT NOT NULL,
  verdict     TEXT NOT NULL,
  finished    INTEGER NOT NULL,
  runs        INTEGER NOT NULL,
  disk_bytes  INTEGER NOT NULL,
  PRIMARY KEY (lab, verdict, finished)
) STRICT, WITHOUT ROWID;

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

INSERT INTO run_totals (lab, verdict, finished, runs, disk_bytes)
  SELECT lab, verdict, finished, count(*), sum(disk_bytes) FROM runs WHERE deleting = 0 GROUP BY 1, 2, 3;
