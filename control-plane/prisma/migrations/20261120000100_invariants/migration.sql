-- What must hold whatever the code does.

ALTER TABLE projects
  ADD CONSTRAINT projects_reserved_not_negative CHECK (reserved_micros >= 0),
  ADD CONSTRAINT projects_limits CHECK (spend_limit_micros >= 0 AND max_phones >= 0 AND max_running >= 0);

ALTER TABLE api_keys
  ADD CONSTRAINT api_keys_preset CHECK (preset IN ('agent', 'admin', 'read-only'));

ALTER TABLE devices
  ADD CONSTRAINT devices_state CHECK (state IN ('unenrolled', 'unauthorized', 'provisioning', 'free', 'assigned', 'wiping', 'quarantined', 'offline')),
  ADD CONSTRAINT devices_phone_when_assigned CHECK ((state = 'assigned') = (phone_id IS NOT NULL)),
  ADD CONSTRAINT devices_fencing_not_negative CHECK (fencing_number >= 0);

ALTER TABLE phones
  ADD CONSTRAINT phones_status CHECK (status IN ('creating', 'starting', 'ready', 'parking', 'parked', 'unavailable', 'failed', 'deleted')),
  ADD CONSTRAINT phones_failure_whole CHECK (num_nulls(failure_code, failure_message, failure_at) IN (0, 3));

ALTER TABLE sessions
  ADD CONSTRAINT sessions_end_reason CHECK (end_reason IN ('parked', 'idle', 'max_duration', 'deleted', 'failed', 'unavailable', 'project_frozen', 'service_paused')),
  ADD CONSTRAINT sessions_end_whole CHECK (num_nulls(ended_at, end_reason, billed_seconds, cost_micros) IN (0, 4)),
  ADD CONSTRAINT sessions_times CHECK (ended_at >= started_at),
  ADD CONSTRAINT sessions_cost CHECK (cost_micros >= 0 AND cost_micros <= reserved_micros);

CREATE UNIQUE INDEX sessions_one_open_per_phone ON sessions (phone_id) WHERE ended_at IS NULL;
CREATE INDEX sessions_open_by_project ON sessions (project_id) WHERE ended_at IS NULL;
CREATE INDEX phones_metadata ON phones USING gin (metadata jsonb_path_ops);
CREATE INDEX phones_running ON phones (status) WHERE status IN ('creating', 'starting', 'ready', 'parking');

ALTER TABLE ledger
  ADD CONSTRAINT ledger_kind CHECK (
    (kind = 'credit' AND reserved_delta = 0 AND session_id IS NULL)
    OR (kind = 'reserve' AND balance_delta = 0 AND reserved_delta > 0 AND session_id IS NOT NULL)
    OR (kind = 'release' AND balance_delta = 0 AND reserved_delta <= 0 AND session_id IS NOT NULL)
    OR (kind = 'charge' AND balance_delta <= 0 AND reserved_delta = 0 AND session_id IS NOT NULL)
  );
-- A session is charged and released once.
CREATE UNIQUE INDEX ledger_one_charge ON ledger (session_id) WHERE kind = 'charge';
CREATE UNIQUE INDEX ledger_one_release ON ledger (session_id) WHERE kind = 'release';

CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger
  FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The moves of src/phones/machine.ts, again where no code can pass them by.
CREATE FUNCTION phone_moves_legally() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> NEW.status AND NOT (OLD.status || '>' || NEW.status) = ANY (ARRAY[
    'creating>ready', 'creating>parking', 'creating>failed', 'creating>unavailable', 'creating>deleted',
    'starting>ready', 'starting>parking', 'starting>failed', 'starting>unavailable', 'starting>deleted',
    'ready>starting', 'ready>parking', 'ready>failed', 'ready>unavailable', 'ready>deleted',
    'parking>parked', 'parking>failed', 'parking>deleted',
    'parked>starting', 'parked>failed', 'parked>deleted',
    'unavailable>starting', 'unavailable>failed', 'unavailable>deleted',
    'failed>deleted'
  ]) THEN
    RAISE EXCEPTION 'phone % cannot move from % to %', OLD.id, OLD.status, NEW.status;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER phones_legal_moves BEFORE UPDATE OF status ON phones
  FOR EACH ROW EXECUTE FUNCTION phone_moves_legally();

-- Fencing numbers only rise.
CREATE FUNCTION fencing_only_rises() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.fencing_number < OLD.fencing_number THEN
    RAISE EXCEPTION 'the fencing number of % cannot fall from % to %', OLD.id, OLD.fencing_number, NEW.fencing_number;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER devices_fencing_rises BEFORE UPDATE OF fencing_number ON devices
  FOR EACH ROW EXECUTE FUNCTION fencing_only_rises();

INSERT INTO service_state (id) VALUES (1);
