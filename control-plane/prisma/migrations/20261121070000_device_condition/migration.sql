-- What an agent says of a device beyond its link: what it did on its own, and battery, storage and the like.
ALTER TABLE devices
  ADD COLUMN events jsonb NOT NULL DEFAULT '[]',
  ADD COLUMN condition jsonb NOT NULL DEFAULT 'null';
