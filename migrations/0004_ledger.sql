-- SPDX-License-Identifier: Apache-2.0
-- The ledger of runs and the reports made from it. Instants are seconds since 1970 UTC; energy mWh, emissions mg CO2e,
-- ratios ppm, amounts thousandths.

-- One row for each state of a run that a report may have been made from. A run that has not finished has one row, which
-- is changed in place; when it finishes it gets a new one. A finished run that changes gets a further row, and the former
-- one names it in replaced_by. So the rows with sequence <= s and replaced_by > s (or null) are the ledger as it was at s.
CREATE TABLE run (
  sequence      INTEGER PRIMARY KEY AUTOINCREMENT,
  id            TEXT NOT NULL CHECK (id <> ''),
  name          TEXT NOT NULL,         -- empty: the same as id
  owner         TEXT NOT NULL,
  submitted_at  INTEGER NOT NULL,      -- what the baseline needs is frozen: this instant, home_site and home_pue
  home_site     TEXT NOT NULL,         -- empty: not known
  home_pue      INTEGER NOT NULL,
  start_by      INTEGER,
  planned_saved INTEGER,
  gpus          INTEGER,
  label         TEXT NOT NULL,
  started_at    INTEGER,               -- start of the first attempt
  finished_at   INTEGER,               -- end of the last attempt; missing while the run is not over
  site          TEXT NOT NULL,         -- of a run with one attempt that its caller has told of, with ...
  pue           INTEGER,
  outcome       TEXT CHECK (outcome IN ('finished', 'failed', 'evicted')),  -- ... null: see document
  energy        INTEGER,
  uncertainty   INTEGER,
  document      TEXT,                  -- attempts, pods, figures, power cap as JSON: see service/store/run_document.hpp
  replaced_by   INTEGER
) STRICT;
CREATE UNIQUE INDEX run_id ON run (id) WHERE replaced_by IS NULL;
CREATE INDEX run_finished ON run (finished_at, sequence);

-- What a report was made with besides runs: sites and realised intensity, as JSON. Shared by all that used the same.
CREATE TABLE report_grid (
  id          INTEGER PRIMARY KEY,
  fingerprint INTEGER NOT NULL,
  document    TEXT NOT NULL
) STRICT;
CREATE INDEX report_grid_fingerprint ON report_grid (fingerprint);

-- Each report that differed from the one before; with the ledger as it was at `ledger` and its grid it is made again.
CREATE TABLE report_revision (
  week        TEXT NOT NULL,
  time_zone   TEXT NOT NULL,
  revision    INTEGER NOT NULL CHECK (revision > 0),
  made_at     INTEGER NOT NULL,
  ledger      INTEGER NOT NULL,        -- the highest run.sequence that it knew
  grid        INTEGER NOT NULL REFERENCES report_grid (id),
  fingerprint INTEGER NOT NULL,        -- of every number in it
  totals      TEXT NOT NULL,           -- as JSON, for whoever looks at the table
  PRIMARY KEY (week, time_zone, revision)
) STRICT, WITHOUT ROWID;
