-- SPDX-License-Identifier: Apache-2.0
-- Grid intensity, prices and grid forecasts. Instants are seconds since 1970 UTC; values are integers in base units:
-- intensity mg CO2e/kWh, price micro-euro/MWh, power mW.

-- One row for each thing that one source tells of one zone. scope, basis and method are empty unless subject is 'intensity'.
CREATE TABLE series (
  id      INTEGER PRIMARY KEY,
  source  TEXT NOT NULL CHECK (source <> ''),
  zone    TEXT NOT NULL CHECK (zone <> ''),
  subject TEXT NOT NULL CHECK (subject IN ('intensity', 'price', 'demand', 'wind', 'solar')),
  scope   TEXT NOT NULL DEFAULT '' CHECK (scope IN ('', 'lifecycle', 'direct')),
  basis   TEXT NOT NULL DEFAULT '' CHECK (basis IN ('', 'average', 'marginal')),
  method  TEXT NOT NULL DEFAULT '' CHECK (method IN ('', 'consumption', 'production', 'combustion')),
  longest INTEGER NOT NULL DEFAULT 0,  -- at least the length of its longest reading: bounds a search for what overlaps
  UNIQUE (source, zone, subject, scope, basis, method)
) STRICT;

-- The providers' words for how a value was estimated.
CREATE TABLE estimation_method (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- Rows that are revised in place: measured intensity, and prices. The revision with the latest updated_at is kept.
CREATE TABLE reading (
  series            INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  start             INTEGER NOT NULL,
  length            INTEGER NOT NULL CHECK (length > 0),
  value             INTEGER NOT NULL,
  estimated         INTEGER NOT NULL CHECK (estimated IN (0, 1)),
  estimation_method INTEGER REFERENCES estimation_method (id),
  updated_at        INTEGER NOT NULL,
  PRIMARY KEY (series, start)
) STRICT, WITHOUT ROWID;

-- The steps of one or more forecasts that say the same, as one block: see service/store/forecast_block.hpp.
CREATE TABLE forecast_block (
  id    INTEGER PRIMARY KEY,
  steps BLOB NOT NULL
) STRICT;

-- Each forecast by its instant of issue.
CREATE TABLE forecast_issue (
  series    INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
  issued_at INTEGER NOT NULL,
  block     INTEGER NOT NULL REFERENCES forecast_block (id),
  PRIMARY KEY (series, issued_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX forecast_issue_block ON forecast_issue (block);

-- A block lives as long as an issue says the same.
CREATE TRIGGER forecast_issue_deleted AFTER DELETE ON forecast_issue
BEGIN
  DELETE FROM forecast_block
  WHERE id = old.block AND NOT EXISTS (SELECT 1 FROM forecast_issue WHERE block = old.block);
END;
CREATE TRIGGER forecast_issue_replaced AFTER UPDATE OF block ON forecast_issue WHEN old.block <> new.block
BEGIN
  DELETE FROM forecast_block
  WHERE id = old.block AND NOT EXISTS (SELECT 1 FROM forecast_issue WHERE block = old.block);
END;

-- What was refused at the door, by reason, with the latest example.
CREATE TABLE rejection (
  source        TEXT NOT NULL,
  zone          TEXT NOT NULL,
  reason        TEXT NOT NULL,
  count         INTEGER NOT NULL,
  latest_start  INTEGER,
  latest_detail TEXT NOT NULL,
  latest_at     INTEGER NOT NULL,
  PRIMARY KEY (source, zone, reason)
) STRICT, WITHOUT ROWID;

-- What must be shown beside a source's numbers.
CREATE TABLE source_note (
  source      TEXT PRIMARY KEY NOT NULL,
  attribution TEXT NOT NULL
) STRICT, WITHOUT ROWID;
