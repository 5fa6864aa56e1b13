-- When its host answered an order to stop, and recorded on: a host must not record without an end.
ALTER TABLE recordings ADD COLUMN stop_asked_at timestamptz(3);
