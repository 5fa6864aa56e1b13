-- People who use the console (docs/decisions/0286). An earlier release ignores these tables.
SET LOCAL lock_timeout = '5s';

CREATE TABLE users (
  id text PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL,
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  is_operator boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT users_email_lower CHECK (email = lower(email))
);
CREATE UNIQUE INDEX users_email_key ON users (email);

CREATE TABLE user_sessions (
  id text PRIMARY KEY,
  token text NOT NULL,
  user_id text NOT NULL,
  ip_address text,
  user_agent text,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT user_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX user_sessions_token_key ON user_sessions (token);
CREATE INDEX user_sessions_user_id_idx ON user_sessions (user_id);
CREATE INDEX user_sessions_expires_at_idx ON user_sessions (expires_at);

CREATE TABLE user_accounts (
  id text PRIMARY KEY,
  provider_id text NOT NULL,
  account_id text NOT NULL,
  user_id text NOT NULL,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz(3),
  refresh_token_expires_at timestamptz(3),
  scope text,
  password text,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT user_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX user_accounts_provider_id_account_id_key ON user_accounts (provider_id, account_id);
CREATE INDEX user_accounts_user_id_idx ON user_accounts (user_id);

CREATE TABLE user_verifications (
  id text PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX user_verifications_identifier_idx ON user_verifications (identifier);
CREATE INDEX user_verifications_expires_at_idx ON user_verifications (expires_at);

CREATE TABLE passkeys (
  id text PRIMARY KEY,
  name text,
  public_key text NOT NULL,
  user_id text NOT NULL,
  credential_id text NOT NULL,
  counter integer NOT NULL,
  device_type text NOT NULL,
  backed_up boolean NOT NULL,
  transports text,
  aaguid text,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE UNIQUE INDEX passkeys_credential_id_key ON passkeys (credential_id);
CREATE INDEX passkeys_user_id_idx ON passkeys (user_id);

CREATE TABLE members (
  project_id text NOT NULL,
  user_id text NOT NULL,
  role text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (project_id, user_id),
  CONSTRAINT members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT members_role CHECK (role IN ('owner', 'member', 'viewer'))
);
CREATE INDEX members_user_id_idx ON members (user_id);

CREATE TABLE invitations (
  id text PRIMARY KEY,
  token_hash text NOT NULL,
  project_id text,
  role text NOT NULL,
  email text,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  accepted_by text,
  CONSTRAINT invitations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT invitations_role CHECK (role IN ('operator', 'reset', 'owner', 'member', 'viewer')),
  CONSTRAINT invitations_project CHECK ((role IN ('operator', 'reset')) = (project_id IS NULL)),
  CONSTRAINT invitations_reset CHECK (role <> 'reset' OR email IS NOT NULL),
  CONSTRAINT invitations_accepted CHECK ((accepted_at IS NULL) = (accepted_by IS NULL))
);
CREATE UNIQUE INDEX invitations_token_hash_key ON invitations (token_hash);
CREATE INDEX invitations_project_id_idx ON invitations (project_id);

-- Replicas share the limits of attempts to sign in.
CREATE TABLE attempts (
  subject text PRIMARY KEY,
  count integer NOT NULL,
  ends_at timestamptz(3) NOT NULL
);
CREATE INDEX attempts_ends_at_idx ON attempts (ends_at);
