-- The agent of this quarantined device does not let its phone go on: giving it back to the phone would quarantine it again.
ALTER TABLE devices ADD COLUMN wipe_only boolean NOT NULL DEFAULT false;
