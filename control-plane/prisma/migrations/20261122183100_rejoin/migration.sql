-- A reinstalled machine joins again as the same host, and its earlier certificate is refused (control-plane/src/operator/admit-host.ts).
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts ADD COLUMN certificate_fingerprint text;
ALTER TABLE join_tokens ADD COLUMN rejoins_host_id text;
