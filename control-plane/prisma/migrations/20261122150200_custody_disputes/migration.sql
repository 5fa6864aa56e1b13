-- How often a device's agent has contradicted this database (control-plane/src/devices/disputes.ts).
ALTER TABLE devices ADD COLUMN disputes integer NOT NULL DEFAULT 0;
-- The first of those that count.
ALTER TABLE devices ADD COLUMN disputed_since timestamptz(3);
