-- What is counted under the lock of an owner or a project must not grow with what was deleted long ago.

CREATE INDEX phones_counted ON phones (project_id) WHERE status NOT IN ('failed', 'deleted');
CREATE INDEX phones_running_by_project ON phones (project_id) WHERE status IN ('creating', 'starting', 'ready');
CREATE INDEX phones_listed ON phones (project_id, created_at DESC, id DESC) WHERE status NOT IN ('failed', 'deleted');
CREATE INDEX uploads_counted ON uploads (project_id) WHERE status IN ('processing', 'ready');
CREATE INDEX uploads_awaited ON uploads (project_id, expires_at) WHERE status = 'awaiting_file';
CREATE INDEX uploads_awaited_of_all ON uploads (expires_at) WHERE status = 'awaiting_file';
CREATE INDEX recordings_counted ON recordings (project_id, expires_at) WHERE status <> 'deleted';
CREATE INDEX api_keys_active ON api_keys (project_id) WHERE revoked_at IS NULL;
-- The links of a session: of those without a hand-over the longest, and how many there are.
CREATE INDEX live_links_of_session ON live_links (session_id, expires_at DESC) WHERE handoff_id IS NULL;

-- What sessions that ended in a month (UTC) cost together, kept by the trigger below.
CREATE TABLE project_months (
  project_id TEXT NOT NULL REFERENCES projects (id),
  month DATE NOT NULL,
  spent_micros BIGINT NOT NULL,
  PRIMARY KEY (project_id, month)
);

INSERT INTO project_months (project_id, month, spent_micros)
  SELECT project_id, date_trunc('month', ended_at AT TIME ZONE 'UTC')::date, sum(cost_micros)
  FROM sessions WHERE ended_at IS NOT NULL AND cost_micros IS NOT NULL GROUP BY 1, 2;

CREATE FUNCTION add_to_project_month() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.ended_at IS NOT NULL AND OLD.cost_micros IS NOT NULL THEN
    UPDATE project_months SET spent_micros = spent_micros - OLD.cost_micros
      WHERE project_id = OLD.project_id AND month = date_trunc('month', OLD.ended_at AT TIME ZONE 'UTC')::date;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.ended_at IS NOT NULL AND NEW.cost_micros IS NOT NULL THEN
    INSERT INTO project_months (project_id, month, spent_micros)
      VALUES (NEW.project_id, date_trunc('month', NEW.ended_at AT TIME ZONE 'UTC')::date, NEW.cost_micros)
      ON CONFLICT (project_id, month) DO UPDATE SET spent_micros = project_months.spent_micros + excluded.spent_micros;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER sessions_by_month AFTER INSERT OR DELETE OR UPDATE OF ended_at, cost_micros, project_id ON sessions
  FOR EACH ROW EXECUTE FUNCTION add_to_project_month();
