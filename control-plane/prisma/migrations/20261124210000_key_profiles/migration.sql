-- A limit of each key below its preset (docs/decisions/0267). Releases from before it create keys with the profile full.
SET LOCAL lock_timeout = '5s';
ALTER TABLE api_keys ADD COLUMN profile text NOT NULL DEFAULT 'full'
  CONSTRAINT api_keys_profile CHECK (profile IN ('full', 'guarded', 'read-only'));
