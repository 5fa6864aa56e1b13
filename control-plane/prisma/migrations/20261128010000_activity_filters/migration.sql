-- Filters of the activity in the console: by key or person, by phone, and only refused requests.
-- While an index is built, writes to its table wait. No request waits for a write to this one: replicas keep up to 10,000
-- entries in memory (activity/recorder.ts).
SET LOCAL lock_timeout = '5s';

CREATE INDEX activity_project_id_key_id_id_idx ON activity (project_id, key_id, id DESC);
CREATE INDEX activity_project_id_phone_id_id_idx ON activity (project_id, phone_id, id DESC) WHERE phone_id IS NOT NULL;
CREATE INDEX activity_refused_idx ON activity (project_id, id DESC) WHERE status >= 400;
