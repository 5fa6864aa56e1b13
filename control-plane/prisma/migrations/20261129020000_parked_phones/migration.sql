-- Phones that nobody starts: `on_idle`, a limit of parked phones for each project, and the deletion of abandoned ones.
SET LOCAL lock_timeout = '5s';

-- `delete`: the phone is deleted where it would park by itself or by its client.
ALTER TABLE phones ADD COLUMN on_idle text NOT NULL DEFAULT 'park' CHECK (on_idle IN ('park', 'delete'));
-- When the service deletes the phone, unless it is started before. Null: no notice was sent.
ALTER TABLE phones ADD COLUMN deletes_at timestamptz(3);
-- Null: no limit.
ALTER TABLE projects ADD COLUMN parked_limit integer CHECK (parked_limit >= 0);

-- The end of the last session of a phone; null while a session is open.
CREATE FUNCTION phone_stopped_at(phone text) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT ended_at FROM sessions WHERE phone_id = phone ORDER BY started_at DESC, id DESC LIMIT 1
$$;

-- A phone that is started, even by a replica of an earlier release, is not abandoned.
CREATE FUNCTION forget_phone_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.deletes_at := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER phones_moved_deletion BEFORE UPDATE OF status ON phones
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.deletes_at IS NOT NULL) EXECUTE FUNCTION forget_phone_deletion();

CREATE FUNCTION phone_expiring_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_event(NEW.project_id, NEW.id, 'phone.expiring', jsonb_build_object('phone', jsonb_build_object(
    'id', NEW.id, 'name', NEW.name, 'status', NEW.status, 'metadata', NEW.metadata, 'deletes_at', NEW.deletes_at)));
  RETURN NULL;
END $$;
CREATE TRIGGER phones_expiring_event AFTER UPDATE OF deletes_at ON phones
  FOR EACH ROW WHEN (OLD.deletes_at IS NULL AND NEW.deletes_at IS NOT NULL) EXECUTE FUNCTION phone_expiring_event();
