-- Which pending deliveries fail after their webhook was switched off and on again (docs/decisions/0295).
SET LOCAL lock_timeout = '5s';
ALTER TABLE webhooks ADD COLUMN fails_before timestamptz(3);
UPDATE webhooks SET fails_before = disabled_at WHERE disabled_at IS NOT NULL;
