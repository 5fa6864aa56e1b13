-- Labels that operators set on hosts.
SET LOCAL lock_timeout = '5s';

ALTER TABLE hosts ADD COLUMN labels jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(labels) = 'object');
