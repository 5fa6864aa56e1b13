-- Devices that are known by the identity on the phone, and move between hosts (docs/decisions/0223); devices whose starts fail
-- repeatedly (docs/decisions/0224).
SET LOCAL lock_timeout = '5s';
ALTER TABLE devices
  ADD COLUMN identity_key text,
  ADD COLUMN profile text,
  ADD COLUMN adopting_since timestamptz(3),
  ADD COLUMN vouched boolean NOT NULL DEFAULT false,
  ADD COLUMN claim_checked_at timestamptz(3),
  ADD COLUMN claimed_since timestamptz(3),
  ADD COLUMN moved_away_at timestamptz(3),
  ADD COLUMN failed_starts integer NOT NULL DEFAULT 0,
  ADD COLUMN failed_start_number bigint;
CREATE UNIQUE INDEX devices_identity_key ON devices (identity_key);
