-- The link went to its address by mail only, so its use proves the address.
SET LOCAL lock_timeout = '5s';

ALTER TABLE invitations ADD COLUMN is_mailed boolean NOT NULL DEFAULT false;
