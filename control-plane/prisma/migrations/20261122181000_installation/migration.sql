-- The installation that this database belongs to (docs/decisions/0192).
SET LOCAL lock_timeout = '5s';

CREATE TABLE installation (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  -- PEM.
  ca_certificate text NOT NULL,
  -- The PKCS #8 key, encrypted with the service key: nonce, ciphertext, tag.
  ca_key bytea NOT NULL,
  -- Identifies the service key.
  service_key_id text NOT NULL,
  -- The NATS account that signs the users of hosts.
  nats_account text,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);
