-- Of the counted creates, starts and renewals, those that were refused: they do not count against parks and deletes.
SET LOCAL lock_timeout = '5s';

ALTER TABLE lifecycle_counts ADD COLUMN refused integer NOT NULL DEFAULT 0;
