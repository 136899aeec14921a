-- SPDX-License-Identifier: Apache-2.0
-- What tells runs apart that need different energy and time: the next one like it learns from those before.

CREATE TABLE run_signature (
  run    TEXT PRIMARY KEY NOT NULL,
  exact  TEXT NOT NULL,           -- see scheduler/energy/estimate.hpp
  family TEXT NOT NULL
) STRICT, WITHOUT ROWID;
