-- Hosts whose devices fail together (docs/decisions/0219).
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts
  ADD COLUMN degraded_until timestamptz(3),
  ADD COLUMN degraded_reason text,
  ADD COLUMN failing_devices integer NOT NULL DEFAULT 0;
ALTER TABLE devices
  ADD COLUMN failed_at timestamptz(3);
