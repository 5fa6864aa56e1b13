-- The file by which other replicas see that they share the storage with this one.
SET LOCAL lock_timeout = '5s';

ALTER TABLE replicas ADD COLUMN storage_probe TEXT;
