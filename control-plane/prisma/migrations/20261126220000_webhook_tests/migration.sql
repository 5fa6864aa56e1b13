-- Tests of webhooks, which expire by their age; other deliveries expire with their events.
SET LOCAL lock_timeout = '5s';
CREATE INDEX webhook_deliveries_tests ON webhook_deliveries (created_at) WHERE event_number IS NULL;
