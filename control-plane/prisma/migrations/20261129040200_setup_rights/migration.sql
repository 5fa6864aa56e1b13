-- The person who allows a terminal chooses the rights and the lifetime of its key, which is created when the terminal collects it.
SET LOCAL lock_timeout = '5s';

ALTER TABLE setups ADD COLUMN rights JSONB;

-- A replica of an earlier release would give the terminal a key with all rights. It fails instead, and the terminal asks again.
ALTER TABLE setups ADD CONSTRAINT setups_rights_collected CHECK (status <> 'used' OR rights IS NULL);
