-- SPDX-License-Identifier: Apache-2.0
-- The newest revision that the webhook of finished weeks has taken.
CREATE TABLE report_delivery (
  week      TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  revision  INTEGER NOT NULL,
  PRIMARY KEY (week, time_zone)
) STRICT, WITHOUT ROWID;
