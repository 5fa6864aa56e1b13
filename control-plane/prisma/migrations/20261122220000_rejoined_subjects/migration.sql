-- Each rejoin gives the host's agent subjects of its own on the broker (docs/decisions/0202).
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts ADD COLUMN join_id text;
