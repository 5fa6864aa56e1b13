-- How many terminals wait, and which of them waited in vain: neither look-up reads setups that a person decided.
CREATE INDEX setups_pending ON setups (expires_at) WHERE status = 'pending';
