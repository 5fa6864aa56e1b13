-- Reboots and resets of a running phone: their allowances, and a reset that is still to be done.
ALTER TABLE phones
  ADD COLUMN rebooted_at timestamptz(3),
  ADD COLUMN reset_at timestamptz(3),
  ADD COLUMN reset_pending boolean NOT NULL DEFAULT false;

-- A phone whose device did not come back from a restart keeps it, held back, until an operator decides.
ALTER TABLE devices
  DROP CONSTRAINT devices_phone_when_assigned,
  ADD CONSTRAINT devices_phone_when_held CHECK (
    CASE state WHEN 'assigned' THEN phone_id IS NOT NULL WHEN 'quarantined' THEN true ELSE phone_id IS NULL END
  );
