-- The scopes that a client asked for by OAuth: its key gets no others of its preset. Empty: all of the preset.
SET LOCAL lock_timeout = '5s';

ALTER TABLE api_keys ADD COLUMN asked_scopes text[] NOT NULL DEFAULT '{}';
