-- Where a client was registered, so that one site cannot take the room of others. Null: before this release.
SET LOCAL lock_timeout = '5s';

ALTER TABLE connector_clients ADD COLUMN site_hash text;
