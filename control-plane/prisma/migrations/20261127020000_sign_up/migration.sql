-- Links with which a person proves their address before they get an account. An earlier release must not run at the same
-- time: it treats such a link as an operator's.
SET LOCAL lock_timeout = '5s';

ALTER TABLE invitations
  DROP CONSTRAINT invitations_role,
  DROP CONSTRAINT invitations_project,
  DROP CONSTRAINT invitations_reset,
  ADD CONSTRAINT invitations_role CHECK (role IN ('operator', 'reset', 'sign_up', 'owner', 'member', 'viewer')),
  ADD CONSTRAINT invitations_project CHECK ((role IN ('operator', 'reset', 'sign_up')) = (project_id IS NULL)),
  ADD CONSTRAINT invitations_reset CHECK (role NOT IN ('reset', 'sign_up') OR email IS NOT NULL);

-- Addresses that got the credit of a sign-up, also after their account was deleted.
CREATE TABLE sign_up_credits (
  email_hash text PRIMARY KEY,
  created_at timestamptz(3) NOT NULL
);
