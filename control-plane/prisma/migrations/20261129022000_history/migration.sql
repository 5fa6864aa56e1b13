-- The hourly job deletes old sessions and deleted phones, and operators remove retired hosts from lists.
SET LOCAL lock_timeout = '5s';

-- The ledger is kept for ever, and names sessions that are deleted.
ALTER TABLE ledger DROP CONSTRAINT ledger_session_id_fkey;
-- The cost of a month keeps sessions that are deleted.
DROP TRIGGER sessions_by_month ON sessions;
CREATE TRIGGER sessions_by_month AFTER INSERT OR UPDATE OF ended_at, cost_micros, project_id ON sessions
  FOR EACH ROW EXECUTE FUNCTION add_to_project_month();
CREATE INDEX sessions_ended_at_idx ON sessions (ended_at);
CREATE INDEX phones_deleted_at_idx ON phones (deleted_at);

-- When an operator removed a retired host from the lists. The row stays: its certificate and NATS user stay refused.
ALTER TABLE hosts ADD COLUMN removed_at timestamptz(3) CHECK (removed_at IS NULL OR retired_at IS NOT NULL);
