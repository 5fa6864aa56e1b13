-- How long replicas have listened to hosts, by their monotonic clocks, so that neither a step of Postgres's clock nor an old dump
-- makes a host lost for good (control-plane/src/hosts/listened.ts).

CREATE TABLE listened (
  id integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  -- Time in which at least one replica listened. Never counts the same time twice.
  total_ms bigint NOT NULL DEFAULT 0,
  -- Silence before this total does not count: set after a restore.
  counts_from_ms bigint NOT NULL DEFAULT 0
);
INSERT INTO listened DEFAULT VALUES;

ALTER TABLE hosts ADD COLUMN heard_at_listened_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE devices ADD COLUMN link_lost_at_listened_ms bigint NOT NULL DEFAULT 0;

CREATE FUNCTION note_listened_of_host() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT total_ms INTO NEW.heard_at_listened_ms FROM listened;
  RETURN NEW;
END $$;
CREATE TRIGGER hosts_listened BEFORE INSERT OR UPDATE OF last_seen_at ON hosts
  FOR EACH ROW EXECUTE FUNCTION note_listened_of_host();

-- The link was up until now.
CREATE FUNCTION note_listened_of_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  SELECT total_ms INTO NEW.link_lost_at_listened_ms FROM listened;
  RETURN NEW;
END $$;
CREATE TRIGGER devices_listened_new BEFORE INSERT ON devices
  FOR EACH ROW EXECUTE FUNCTION note_listened_of_link();
CREATE TRIGGER devices_listened BEFORE UPDATE OF link_lost_at ON devices
  FOR EACH ROW WHEN (OLD.link_lost_at IS NULL AND NEW.link_lost_at IS NOT NULL)
  EXECUTE FUNCTION note_listened_of_link();
