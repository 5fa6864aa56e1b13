-- When and from where a key was last used, for the console. An earlier release leaves both as they are.
SET LOCAL lock_timeout = '5s';

ALTER TABLE api_keys
  ADD COLUMN last_used_at timestamptz(3),
  ADD COLUMN last_used_address text;
