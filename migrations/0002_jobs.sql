-- SPDX-License-Identifier: Apache-2.0
-- Jobs of callers without Kubernetes, and the plans made for them. Instants are seconds since 1970 UTC; energy is in mWh.

CREATE TABLE job (
  sequence       INTEGER PRIMARY KEY AUTOINCREMENT,  -- order of submission; never given again
  id             TEXT NOT NULL UNIQUE CHECK (id <> ''),
  owner          TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state IN ('waiting', 'released', 'running', 'finished', 'failed', 'cancelled')),
  request        TEXT NOT NULL,                      -- what was asked, as JSON: see service/store/job_document.hpp
  submitted_at   INTEGER NOT NULL,
  earliest_start INTEGER NOT NULL,
  finish_by      INTEGER NOT NULL,
  start_by       INTEGER NOT NULL,
  slot           TEXT,                               -- where and when it is planned to run, as JSON
  reason         TEXT NOT NULL,
  warning        TEXT,
  released_at    INTEGER,
  started_at     INTEGER,
  finished_at    INTEGER,
  energy         INTEGER,                            -- as measured by the caller
  version        INTEGER NOT NULL                    -- rises with each change of the row
) STRICT;
CREATE INDEX job_state ON job (state, sequence);
CREATE INDEX job_owner ON job (owner, sequence);

-- What was answered to a request that named a key, so that its repetition gets the same answer.
CREATE TABLE idempotency_key (
  key     TEXT PRIMARY KEY NOT NULL,
  body    TEXT NOT NULL,                             -- canonical JSON
  job     TEXT NOT NULL,
  answer  TEXT,                                      -- missing until it was given
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_key_age ON idempotency_key (made_at);

-- Each plan that was put into force.
CREATE TABLE plan (
  revision INTEGER PRIMARY KEY,
  made_at  INTEGER NOT NULL,
  document TEXT NOT NULL                             -- JSON without the two columns above
) STRICT;

-- A single row: rises whenever a job changes in a way that an unfinished plan must not overlook.
CREATE TABLE planning_revision (
  only     INTEGER PRIMARY KEY CHECK (only = 1),
  revision INTEGER NOT NULL
) STRICT;
INSERT INTO planning_revision (only, revision) VALUES (1, 0);
