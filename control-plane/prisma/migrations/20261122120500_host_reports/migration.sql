-- What could not be read of an agent's reports, for the operator, and the version of the protocol that the agent speaks.
ALTER TABLE hosts
  ADD COLUMN protocol_version integer,
  ADD COLUMN report_fault text;
ALTER TABLE devices
  ADD COLUMN report_fault text;
