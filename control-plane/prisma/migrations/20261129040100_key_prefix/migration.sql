-- The first characters of a key, by which a person recognises it in a list.
ALTER TABLE api_keys ADD COLUMN prefix TEXT;
