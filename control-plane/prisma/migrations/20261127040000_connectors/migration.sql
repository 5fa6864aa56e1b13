-- Agent connectors that sign in by OAuth (docs/decisions/0296). An earlier release ignores these tables, and refuses tokens.
SET LOCAL lock_timeout = '5s';

CREATE TABLE connectors (
  key_id text PRIMARY KEY,
  client_id text NOT NULL,
  client_name text NOT NULL,
  redirect_uri text NOT NULL,
  granted_by text NOT NULL,
  code_hash text NOT NULL,
  code_challenge text NOT NULL,
  code_expires_at timestamptz(3) NOT NULL,
  code_used_at timestamptz(3),
  CONSTRAINT connectors_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX connectors_code_hash_key ON connectors (code_hash);
CREATE INDEX connectors_client_id_idx ON connectors (client_id);

CREATE TABLE connector_tokens (
  hash text PRIMARY KEY,
  key_id text NOT NULL,
  kind text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  CONSTRAINT connector_tokens_key_id_fkey FOREIGN KEY (key_id) REFERENCES connectors (key_id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT connector_tokens_kind CHECK (kind IN ('access', 'refresh')),
  CONSTRAINT connector_tokens_used CHECK (used_at IS NULL OR kind = 'refresh')
);
CREATE INDEX connector_tokens_key_id_idx ON connector_tokens (key_id);
CREATE INDEX connector_tokens_expires_at_idx ON connector_tokens (expires_at);

CREATE TABLE connector_clients (
  id text PRIMARY KEY,
  name text NOT NULL,
  redirect_uris text[] NOT NULL,
  created_at timestamptz(3) NOT NULL
);
