-- Lookups of the retention of steps: by the screens and the picture of a step (docs/decisions/0280).
SET LOCAL lock_timeout = '5s';

-- Whether a step still begins or ends with a screen.
CREATE INDEX steps_phone_id_before_id_idx ON steps (phone_id, before_id) WHERE before_id IS NOT NULL;
CREATE INDEX steps_phone_id_after_id_idx ON steps (phone_id, after_id) WHERE after_id IS NOT NULL;
-- Whether a stored picture has a step.
CREATE INDEX steps_picture_id_idx ON steps (picture_id) WHERE picture_id IS NOT NULL;
-- At most a few for each phone.
CREATE INDEX step_screens_unused_idx ON step_screens (phone_id, at) WHERE NOT is_used;
