-- Live views in the console: links of a user's sign-in instead of a key. They end with it. An earlier release ignores them.
SET LOCAL lock_timeout = '5s';

ALTER TABLE live_links
  ALTER COLUMN key_id DROP NOT NULL,
  ADD COLUMN user_session_id text,
  ADD CONSTRAINT live_links_user_session_id_fkey FOREIGN KEY (user_session_id) REFERENCES user_sessions (id)
    ON DELETE CASCADE ON UPDATE CASCADE,
  ADD CONSTRAINT live_links_creator CHECK ((key_id IS NULL) <> (user_session_id IS NULL));
CREATE INDEX live_links_user_session_id_idx ON live_links (user_session_id);
