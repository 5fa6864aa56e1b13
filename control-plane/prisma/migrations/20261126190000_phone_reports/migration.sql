-- What agents observed on rented phones (docs/decisions/0276). The key makes a repeated report harmless: the event is
-- written in the transaction of its first report.
SET LOCAL lock_timeout = '5s';

CREATE TABLE phone_reports (
  phone_id text NOT NULL,
  -- The agent's name of the observation: the same each time it reads the line of the phone's log.
  id text NOT NULL,
  type text NOT NULL CHECK (type IN ('app.crashed', 'notification.posted')),
  data jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (phone_id, id)
);

CREATE FUNCTION phone_report_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event((SELECT project_id FROM phones WHERE id = NEW.phone_id), NEW.phone_id, NEW.type, NEW.data);
  RETURN NULL;
END $$;
CREATE TRIGGER phone_reports_event AFTER INSERT ON phone_reports
  FOR EACH ROW EXECUTE FUNCTION phone_report_event();
