-- The certificate authority can be replaced while hosts and replicas run (control-plane/src/db/authority-rotation.ts).
-- `rotate-authority begin` raises serves_from: earlier releases would trust one authority only.
SET LOCAL lock_timeout = '5s';
ALTER TABLE installation
  ADD COLUMN other_ca_certificate text,
  ADD COLUMN other_ca_key bytea,
  ADD COLUMN rotation_begun_at timestamptz(3),
  ADD COLUMN switched_at timestamptz(3);
ALTER TABLE hosts
  ADD COLUMN certificate_authority text,
  ADD COLUMN trusted_authorities text[] NOT NULL DEFAULT '{}';
ALTER TABLE join_tokens ADD COLUMN authority text;
ALTER TABLE replicas ADD COLUMN authorities text[] NOT NULL DEFAULT '{}';
UPDATE schema_version SET version = 2;
