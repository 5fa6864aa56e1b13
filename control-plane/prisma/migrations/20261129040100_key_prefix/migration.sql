-- The first characters of a key, by which a person recognises it in a list.
SET LOCAL lock_timeout = '5s';

ALTER TABLE api_keys ADD COLUMN prefix TEXT;
