-- The person who allows a terminal chooses the rights and the lifetime of its key, which is created when the terminal collects it.
ALTER TABLE setups ADD COLUMN rights JSONB;
