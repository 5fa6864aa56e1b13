-- Steps: each batch with its results and the screens around it (docs/decisions/0277, 0278, 0280).
SET LOCAL lock_timeout = '5s';

-- Without foreign keys: a step is written while its batch runs, and must not wait for locks of its phone or session.
CREATE TABLE steps (
  id text PRIMARY KEY,
  project_id text NOT NULL,
  phone_id text NOT NULL,
  session_id text NOT NULL,
  request_id text NOT NULL,
  key_id text NOT NULL,
  via text NOT NULL,
  client text,
  status text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  request bytea NOT NULL,
  outcome bytea,
  text_kept boolean NOT NULL,
  before_id text,
  after_id text,
  picture_id text,
  picture jsonb,
  -- Of this row and its picture, for the quota.
  bytes bigint NOT NULL,
  CONSTRAINT steps_status CHECK (status IN ('running', 'succeeded', 'failed', 'stopped', 'unknown')),
  CONSTRAINT steps_via CHECK (via IN ('api', 'mcp', 'live')),
  CONSTRAINT steps_ended CHECK ((status = 'running') = (ended_at IS NULL)),
  CONSTRAINT steps_picture CHECK ((picture_id IS NULL) = (picture IS NULL))
);
CREATE INDEX steps_phone_id_started_at_id_idx ON steps (phone_id, started_at DESC, id DESC);
CREATE INDEX steps_started_at_idx ON steps (started_at);
-- The sums of the quota are read from it alone.
CREATE INDEX steps_project_id_started_at_bytes_idx ON steps (project_id, started_at) INCLUDE (bytes);

-- Screens that clients have read, by their snapshot. One that no step uses is replaced by the next read.
CREATE TABLE step_screens (
  id text NOT NULL,
  project_id text NOT NULL,
  phone_id text NOT NULL,
  session_id text NOT NULL,
  at timestamptz(3) NOT NULL,
  body bytea NOT NULL,
  -- Of the JSON, before it was compressed.
  json_bytes integer NOT NULL,
  is_used boolean NOT NULL DEFAULT false,
  bytes bigint NOT NULL,
  -- Hosts choose the IDs.
  PRIMARY KEY (phone_id, id)
);
CREATE INDEX step_screens_phone_id_at_idx ON step_screens (phone_id, at DESC);
CREATE INDEX step_screens_at_idx ON step_screens (at);
CREATE INDEX step_screens_project_id_at_bytes_idx ON step_screens (project_id, at) INCLUDE (bytes);

ALTER TABLE projects
  ADD COLUMN steps_enabled boolean NOT NULL DEFAULT true,
  ADD COLUMN steps_text boolean NOT NULL DEFAULT false,
  ADD COLUMN steps_pictures text NOT NULL DEFAULT 'asked'
    CONSTRAINT projects_steps_pictures CHECK (steps_pictures IN ('off', 'asked', 'every')),
  ADD COLUMN steps_max_bytes bigint NOT NULL DEFAULT 1000000000
    CONSTRAINT projects_steps_max_bytes CHECK (steps_max_bytes >= 0);
