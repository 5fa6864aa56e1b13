-- NATS users of earlier machines of hosts, which the broker refuses (control-plane/src/hosts/revoked-users.ts).
SET LOCAL lock_timeout = '5s';
CREATE TABLE revoked_nats_users (
  public_key text PRIMARY KEY,
  host_id text NOT NULL REFERENCES hosts (id),
  revoked_at timestamptz(3) NOT NULL
);
