-- Certificates of hosts renew themselves: until a host uses the next one, both are accepted (control-plane/src/hosts/renewal.ts).
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts
  ADD COLUMN certificate_expires_at timestamptz(3),
  ADD COLUMN next_certificate_fingerprint text,
  ADD COLUMN next_certificate_pem text;
