-- The device of a host that has been free longest, of each kind of cleanness (control-plane/src/devices/assignment.ts).
SET LOCAL lock_timeout = '5s';
CREATE INDEX devices_free_by_host ON devices (host_id, clean_for, freed_at NULLS FIRST, id) WHERE state = 'free';
