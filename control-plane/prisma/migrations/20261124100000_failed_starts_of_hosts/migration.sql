-- Failed starts apart from other failures: a host that only they make degraded takes creates again soon (docs/decisions/0219).
SET LOCAL lock_timeout = '5s';
ALTER TABLE devices ADD COLUMN start_failed_at timestamptz(3);
ALTER TABLE hosts ADD COLUMN degraded_by_starts boolean NOT NULL DEFAULT false;
