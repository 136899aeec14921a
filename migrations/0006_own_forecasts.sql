-- SPDX-License-Identifier: Apache-2.0
-- Own forecasts are issues of source 'valle'. What is said beside their means: how much they rest on, and how far values
-- have come to lie from such forecasts.

-- What forecasts rested on; many share one.
CREATE TABLE forecast_ground (
  id     INTEGER PRIMARY KEY,
  grade  TEXT NOT NULL CHECK (grade IN ('good', 'fair', 'poor')),
  reason TEXT NOT NULL,
  model  TEXT NOT NULL,
  UNIQUE (grade, reason, model)
) STRICT;

-- low and high: factors of the mean in ppm by the hours in which they hold, as blocks of forecast steps.
CREATE TABLE own_forecast (
  series    INTEGER NOT NULL,
  issued_at INTEGER NOT NULL,
  ground    INTEGER NOT NULL REFERENCES forecast_ground (id),
  low       BLOB NOT NULL,
  high      BLOB NOT NULL,
  leads     INTEGER NOT NULL DEFAULT 0 CHECK (leads IN (0, 1)),  -- proven better than the providers': counts before theirs
  PRIMARY KEY (series, issued_at),
  FOREIGN KEY (series, issued_at) REFERENCES forecast_issue (series, issued_at) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX own_forecast_ground ON own_forecast (ground);
