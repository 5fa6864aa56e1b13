-- Since when an agent reports that it stops: a limit for the time in which its phones are billed (hosts/stopping.ts).
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts ADD COLUMN stopping_since timestamptz(3);
