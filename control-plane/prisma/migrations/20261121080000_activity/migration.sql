-- What keys changed, for the operator and the console. No typed text, no clipboard, no secret.
CREATE TABLE activity (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id text NOT NULL REFERENCES projects (id),
  key_id text NOT NULL,
  request_id text NOT NULL,
  at timestamptz(3) NOT NULL,
  method text NOT NULL,
  route text NOT NULL,
  phone_id text,
  status integer NOT NULL,
  code text,
  ms integer NOT NULL,
  summary jsonb NOT NULL
);
CREATE INDEX activity_project ON activity (project_id, id DESC);
CREATE INDEX activity_at ON activity (at);
