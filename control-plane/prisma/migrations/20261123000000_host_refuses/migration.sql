-- A host whose agent takes no new work, as its last heartbeat says (docs/decisions/0217).
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts
  ADD COLUMN refuses text,
  ADD COLUMN refuses_reason text;
