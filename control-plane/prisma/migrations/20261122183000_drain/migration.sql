-- Operators drain hosts and devices, and keep devices out of the pool (control-plane/src/devices/service.ts).
ALTER TABLE hosts
  ADD COLUMN drained_at timestamptz(3),
  ADD COLUMN drain_until timestamptz(3),
  ADD CONSTRAINT hosts_drain CHECK ((drained_at IS NULL) = (drain_until IS NULL));
ALTER TABLE devices
  ADD COLUMN drained_at timestamptz(3),
  ADD COLUMN drain_until timestamptz(3),
  ADD COLUMN maintenance_at timestamptz(3),
  ADD COLUMN maintenance_note text,
  ADD CONSTRAINT devices_drain CHECK ((drained_at IS NULL) = (drain_until IS NULL)),
  ADD CONSTRAINT devices_maintenance CHECK ((maintenance_at IS NULL) = (maintenance_note IS NULL));
