-- Operators are named tokens with an end and a trace; what they change is kept in a log and done once.

ALTER TABLE operator_tokens
  ADD COLUMN id text,
  ADD COLUMN created_by text,
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN last_used_at timestamptz(3),
  ADD COLUMN revoked_at timestamptz(3),
  ADD COLUMN is_configured boolean NOT NULL DEFAULT false;
-- An ID for each token of before, of the alphabet that IDs have.
UPDATE operator_tokens SET
  id = 'opt_' || translate(substr(md5(secret_hash), 1, 12), '0189', 'ghij'),
  is_configured = name = 'configured';
ALTER TABLE operator_tokens
  ALTER COLUMN id SET NOT NULL,
  DROP CONSTRAINT operator_tokens_pkey,
  ADD PRIMARY KEY (id),
  DROP COLUMN wrong_codes,
  DROP COLUMN wrong_since;
CREATE UNIQUE INDEX operator_tokens_secret_hash_key ON operator_tokens (secret_hash);

CREATE TABLE audit_log (
  id bigserial PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  token_id text NOT NULL,
  token_name text NOT NULL,
  address text NOT NULL,
  request_id text NOT NULL,
  action text NOT NULL,
  target text,
  before jsonb,
  after jsonb
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
-- Rows are deleted by age only, and never changed.
CREATE TRIGGER audit_log_append_only BEFORE UPDATE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

-- Operator writes that carried an Idempotency-Key. The answer is sealed with a key that only the token gives.
CREATE TABLE operator_requests (
  token_id text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  status integer NOT NULL,
  answer bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (token_id, key)
);
CREATE INDEX operator_requests_expires_at ON operator_requests (expires_at);
