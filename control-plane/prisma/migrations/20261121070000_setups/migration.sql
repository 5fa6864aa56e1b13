-- Terminal setups: a terminal asks for a key, a person confirms in a browser.
CREATE TABLE setups (
  id text PRIMARY KEY,
  token_hash text NOT NULL UNIQUE,
  user_code_hash text NOT NULL UNIQUE,
  client text,
  address text NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'used')),
  project_id text REFERENCES projects (id),
  ticket_hash text UNIQUE,
  decided_by text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT setups_project_when_approved CHECK (status NOT IN ('approved', 'used') OR project_id IS NOT NULL)
);
CREATE INDEX setups_expires_at ON setups (expires_at);

-- Wrong user codes in a row, and since when.
ALTER TABLE operator_tokens
  ADD COLUMN wrong_codes integer NOT NULL DEFAULT 0,
  ADD COLUMN wrong_since timestamptz(3);
