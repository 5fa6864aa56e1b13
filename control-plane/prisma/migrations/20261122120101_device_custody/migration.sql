-- Which database this is, and what agents confirmed about devices for it (docs/decisions/0141).

CREATE TABLE database_epoch (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  epoch text NOT NULL,
  changed_at timestamptz(3) NOT NULL
);
INSERT INTO database_epoch (epoch, changed_at) VALUES (replace(gen_random_uuid()::text, '-', ''), now());

-- The id, the cluster's system identifier and its timeline: a promotion or another cluster is noticed without anyone's help.
-- '-' stands for what this role may not read.
CREATE FUNCTION current_epoch() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  own text;
  cluster text := '-';
  timeline text := '-';
BEGIN
  SELECT epoch INTO STRICT own FROM database_epoch;
  BEGIN
    SELECT system_identifier::text INTO cluster FROM pg_control_system();
  EXCEPTION WHEN insufficient_privilege OR undefined_function THEN
    cluster := '-';
  END;
  BEGIN
    -- The timeline in pg_control is as old as the last checkpoint; the name of the WAL file is not.
    timeline := substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
  EXCEPTION WHEN insufficient_privilege OR undefined_function OR object_not_in_prerequisite_state THEN
    BEGIN
      SELECT lpad(to_hex(timeline_id), 8, '0') INTO timeline FROM pg_control_checkpoint();
    EXCEPTION WHEN insufficient_privilege OR undefined_function THEN
      timeline := '-';
    END;
  END;
  RETURN own || '.' || cluster || '.' || timeline;
END $$;

ALTER TABLE devices
  -- The epoch under which the agent last confirmed it as clean. Handed out only while that is the current one.
  ADD COLUMN confirmed_epoch text,
  -- For whom: `anyone`, `tenant:` and a tenant, or empty.
  ADD COLUMN clean_for text NOT NULL DEFAULT '',
  -- Of the agent's record: reports with a lower one are older than what this row says.
  ADD COLUMN custody_revision bigint NOT NULL DEFAULT 0;
