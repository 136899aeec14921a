-- SPDX-License-Identifier: Apache-2.0
-- Jobs of a cluster stand beside those of REST; their id is the object's uid.

ALTER TABLE job ADD COLUMN object_kind TEXT;          -- missing: a job of REST
ALTER TABLE job ADD COLUMN object_name TEXT;          -- namespace/name; used again by later objects
ALTER TABLE job ADD COLUMN promised_start_by INTEGER; -- as promised to the owner; start_by is earlier by what admission takes
CREATE INDEX job_object ON job (object_name, sequence) WHERE object_name IS NOT NULL;
