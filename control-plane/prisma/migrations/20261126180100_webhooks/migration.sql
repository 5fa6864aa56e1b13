-- Webhooks of a project and their deliveries (docs/decisions/0272).
SET LOCAL lock_timeout = '5s';

CREATE TABLE webhooks (
  id text PRIMARY KEY,
  project_id text NOT NULL,
  key_id text NOT NULL,
  url text NOT NULL,
  description text,
  events text[] NOT NULL,
  secret bytea NOT NULL,
  earlier_secret bytea,
  earlier_secret_until timestamptz(3),
  disabled_at timestamptz(3),
  failing_since timestamptz(3),
  failed_at timestamptz(3),
  deleted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT webhooks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT webhooks_earlier_secret CHECK ((earlier_secret IS NULL) = (earlier_secret_until IS NULL))
);
CREATE INDEX webhooks_project_id_created_at_id_idx ON webhooks (project_id, created_at DESC, id DESC);
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE webhook_deliveries (
  id text PRIMARY KEY,
  webhook_id text NOT NULL,
  event_number bigint,
  test_event jsonb,
  status text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  round integer NOT NULL DEFAULT 0,
  attempts_of_round integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  response_status integer,
  response_body text,
  duration_ms integer,
  error text,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  CONSTRAINT webhook_deliveries_event_number_fkey FOREIGN KEY (event_number) REFERENCES events (number) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT webhook_deliveries_status CHECK (status IN ('pending', 'succeeded', 'failed')),
  CONSTRAINT webhook_deliveries_next CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
  CONSTRAINT webhook_deliveries_one_event CHECK (num_nonnulls(event_number, test_event) = 1)
);
CREATE INDEX webhook_deliveries_webhook_id_created_at_id_idx ON webhook_deliveries (webhook_id, created_at DESC, id DESC);
CREATE INDEX webhook_deliveries_event_number_idx ON webhook_deliveries (event_number);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
-- Tests, and deliveries that somebody sent again.
CREATE INDEX webhook_deliveries_by_hand ON webhook_deliveries (webhook_id)
  WHERE status = 'pending' AND (round > 0 OR test_event IS NOT NULL);

-- Encrypts the secrets of webhooks, and is itself encrypted with the service key.
ALTER TABLE installation ADD COLUMN webhook_key bytea;
