-- The releases that can serve this database (docs/decisions/0193).
SET LOCAL lock_timeout = '5s';

CREATE TABLE schema_version (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  version integer NOT NULL,
  -- A release that knows only lower versions cannot serve this database.
  serves_from integer NOT NULL CHECK (serves_from <= version)
);
INSERT INTO schema_version (version, serves_from) VALUES (1, 1);
