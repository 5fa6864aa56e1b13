-- Hand-overs that a member began in the console without a request: they belong to the member's sign-in instead of a key, and
-- end with it. An earlier release ignores them.
SET LOCAL lock_timeout = '5s';

ALTER TABLE handoffs
  ALTER COLUMN key_id DROP NOT NULL,
  ADD COLUMN user_session_id text,
  ADD CONSTRAINT handoffs_user_session_id_fkey FOREIGN KEY (user_session_id) REFERENCES user_sessions (id)
    ON DELETE SET NULL ON UPDATE CASCADE,
  -- Both are null once the sign-in has ended.
  ADD CONSTRAINT handoffs_author CHECK (key_id IS NULL OR user_session_id IS NULL);
CREATE INDEX handoffs_user_session_id_idx ON handoffs (user_session_id);
