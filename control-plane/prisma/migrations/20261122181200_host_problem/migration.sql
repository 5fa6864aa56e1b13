-- A missing part of a host, such as the scrcpy server, for the operator.
SET LOCAL lock_timeout = '5s';
ALTER TABLE hosts ADD COLUMN problem text;
