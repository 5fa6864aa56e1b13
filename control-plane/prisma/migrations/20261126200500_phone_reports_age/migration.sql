-- For the limit of reports a minute, and for their expiry (docs/decisions/0276).
SET LOCAL lock_timeout = '5s';

CREATE INDEX phone_reports_phone_id_created_at_idx ON phone_reports (phone_id, created_at);
