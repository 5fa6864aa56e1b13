-- The console lists the hand-overs in progress of a user's projects every few seconds.
SET LOCAL lock_timeout = '5s';

CREATE INDEX handoffs_current ON handoffs (project_id) WHERE status IN ('open', 'taken');
