-- Events of a project (docs/decisions/0270). Triggers write them in the transaction of the change, so that no writer can
-- leave one out, not even a replica of an earlier release during an upgrade.
SET LOCAL lock_timeout = '5s';

-- Events of committed changes that have no number yet.
CREATE TABLE event_outbox (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id text NOT NULL,
  phone_id text,
  type text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  data jsonb NOT NULL
);

-- Without foreign keys: their locks would make the numbering wait for transactions that lock a project.
CREATE TABLE events (
  number bigint PRIMARY KEY,
  id text NOT NULL,
  project_id text NOT NULL,
  phone_id text,
  type text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  data jsonb NOT NULL
);
CREATE UNIQUE INDEX events_id_key ON events (id);
CREATE INDEX events_project_id_number_idx ON events (project_id, number);
CREATE INDEX events_phone_id_number_idx ON events (phone_id, number);
CREATE INDEX events_created_at_idx ON events (created_at);

-- One row. Its lock lets one transaction at a time number events, so numbers are committed in their order.
CREATE TABLE event_state (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  last_number bigint NOT NULL DEFAULT 0,
  expired_number bigint NOT NULL DEFAULT 0
);
INSERT INTO event_state (id) VALUES (1);

-- `evt_` and 12 characters of a-z2-7. The bytes 6 and 8 of a UUID are not random.
CREATE FUNCTION new_event_id() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'evt_' || string_agg(substr('abcdefghijklmnopqrstuvwxyz234567', (get_byte(random.bytes, byte) & 31) + 1, 1), '')
  FROM (SELECT uuid_send(gen_random_uuid()) AS bytes) AS random,
    unnest(ARRAY[0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 12, 13]) AS byte
$$;

-- The time is that of the change, not of its transaction: the order of a phone's events is the order of their times.
CREATE FUNCTION write_event(project text, phone text, kind text, facts jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_outbox (project_id, phone_id, type, created_at, data)
  VALUES (project, phone, kind, clock_timestamp(), facts);
  -- Sent with the commit, once per transaction.
  PERFORM pg_notify('phonerack_events', '');
END $$;

CREATE FUNCTION phone_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  kind text := 'created';
  previous text;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    kind := NEW.status;
    previous := OLD.status;
  END IF;
  PERFORM write_event(NEW.project_id, NEW.id, 'phone.' || kind, jsonb_build_object('phone', jsonb_build_object(
    'id', NEW.id, 'name', NEW.name, 'status', NEW.status, 'previous_status', previous, 'metadata', NEW.metadata,
    'failure', CASE WHEN NEW.failure_code IS NOT NULL THEN jsonb_build_object(
      'code', NEW.failure_code, 'message', NEW.failure_message, 'at', NEW.failure_at) END)));
  RETURN NULL;
END $$;
CREATE TRIGGER phones_created_event AFTER INSERT ON phones
  FOR EACH ROW EXECUTE FUNCTION phone_event();
CREATE TRIGGER phones_moved_event AFTER UPDATE OF status ON phones
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status IN ('ready', 'parked', 'failed', 'unavailable', 'deleted'))
  EXECUTE FUNCTION phone_event();

CREATE FUNCTION session_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event(NEW.project_id, NEW.phone_id,
    CASE WHEN NEW.ended_at IS NULL THEN 'session.started' ELSE 'session.ended' END,
    jsonb_build_object('session', jsonb_build_object(
      'id', NEW.id, 'started_at', NEW.started_at, 'ready_at', NEW.ready_at, 'ended_at', NEW.ended_at,
      'end_reason', NEW.end_reason, 'billed_seconds', NEW.billed_seconds, 'cost_micros', NEW.cost_micros::text,
      'reserved_micros', NEW.reserved_micros::text)));
  RETURN NULL;
END $$;
CREATE TRIGGER sessions_started_event AFTER INSERT ON sessions
  FOR EACH ROW EXECUTE FUNCTION session_event();
CREATE TRIGGER sessions_ended_event AFTER UPDATE OF ended_at ON sessions
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION session_event();

-- Charges and reversals that take the balance below one dollar.
CREATE FUNCTION balance_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event(NEW.id, NULL, 'balance.low', jsonb_build_object('balance', jsonb_build_object(
    'balance_micros', NEW.balance_micros::text, 'reserved_micros', NEW.reserved_micros::text)));
  RETURN NULL;
END $$;
CREATE TRIGGER projects_balance_event AFTER UPDATE OF balance_micros ON projects
  FOR EACH ROW WHEN (OLD.balance_micros >= 1000000 AND NEW.balance_micros < 1000000) EXECUTE FUNCTION balance_event();

CREATE FUNCTION install_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event((SELECT project_id FROM phones WHERE id = NEW.phone_id), NEW.phone_id, 'install.' || NEW.status,
    jsonb_build_object('install', jsonb_build_object(
      'package', NEW.package, 'upload', NEW.upload_id, 'id', NEW.id, 'status', NEW.status, 'error', NEW.error,
      'next', NEW.next, 'started_at', NEW.started_at, 'updated_at', NEW.updated_at)));
  RETURN NULL;
END $$;
CREATE TRIGGER installs_ended_event AFTER UPDATE OF status ON installs
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status IN ('succeeded', 'failed'))
  EXECUTE FUNCTION install_event();

-- A duplicate is not a failure: its file is ready as another upload, which the response names.
CREATE FUNCTION upload_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event(NEW.project_id, NULL, CASE NEW.status WHEN 'ready' THEN 'upload.ready' ELSE 'upload.failed' END,
    jsonb_build_object('upload', jsonb_build_object(
      'id', NEW.id, 'status', NEW.status, 'package', NEW.package, 'version_code', NEW.version_code::text,
      'version_name', NEW.version_name, 'size_bytes', NEW.size_bytes::text,
      'error', CASE WHEN NEW.error_code IS NOT NULL THEN jsonb_build_object(
        'code', NEW.error_code, 'message', NEW.error_message, 'next', NEW.error_next) END)));
  RETURN NULL;
END $$;
CREATE TRIGGER uploads_ended_event AFTER UPDATE OF status ON uploads
  FOR EACH ROW WHEN (OLD.status <> NEW.status
    AND NEW.status IN ('ready', 'invalid_apk', 'too_large', 'storage_full', 'failed'))
  EXECUTE FUNCTION upload_event();

CREATE FUNCTION recording_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event(NEW.project_id, NEW.phone_id, 'recording.' || NEW.status,
    jsonb_build_object('recording', jsonb_build_object(
      'id', NEW.id, 'name', NEW.name, 'status', NEW.status, 'started_at', NEW.started_at, 'ended_at', NEW.ended_at,
      'duration_ms', NEW.duration_ms,
      'size_bytes', CASE NEW.status WHEN 'ready' THEN NEW.size_bytes::text END, 'expires_at', NEW.expires_at)));
  RETURN NULL;
END $$;
CREATE TRIGGER recordings_ended_event AFTER UPDATE OF status ON recordings
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status IN ('ready', 'failed'))
  EXECUTE FUNCTION recording_event();

-- No text that people wrote: a withdrawal deletes it, and an event would keep it.
CREATE FUNCTION handoff_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  state text := CASE NEW.status WHEN 'withdrawn' THEN 'cancelled' ELSE NEW.status END;
BEGIN
  PERFORM write_event(NEW.project_id, NEW.phone_id,
    'handoff.' || CASE state WHEN 'open' THEN 'created' ELSE state END,
    jsonb_build_object('handoff', jsonb_build_object(
      'id', NEW.id, 'status', state, 'created_at', NEW.created_at, 'taken_at', NEW.taken_at,
      'ended_at', NEW.ended_at, 'expires_at', NEW.expires_at)));
  RETURN NULL;
END $$;
CREATE TRIGGER handoffs_created_event AFTER INSERT ON handoffs
  FOR EACH ROW EXECUTE FUNCTION handoff_event();
-- A hand-over ends with its session and with its key. Its time ends it by a job.
CREATE FUNCTION expire_handoffs() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'sessions' THEN
    UPDATE handoffs SET status = 'expired', ended_at = greatest(created_at, least(expires_at, NEW.ended_at))
      WHERE phone_id = NEW.phone_id AND session_id = NEW.id AND status IN ('open', 'taken');
  ELSE
    UPDATE handoffs SET status = 'expired', ended_at = greatest(created_at, least(expires_at, NEW.revoked_at))
      WHERE key_id = NEW.id AND status IN ('open', 'taken');
  END IF;
  RETURN NULL;
END $$;
-- Fires after `sessions_ended_event`: triggers of one kind fire in the order of their names.
CREATE TRIGGER sessions_ended_handoffs AFTER UPDATE OF ended_at ON sessions
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION expire_handoffs();
CREATE TRIGGER api_keys_revoked_handoffs AFTER UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION expire_handoffs();
CREATE TRIGGER handoffs_moved_event AFTER UPDATE OF status ON handoffs
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND OLD.status IN ('open', 'taken')) EXECUTE FUNCTION handoff_event();
