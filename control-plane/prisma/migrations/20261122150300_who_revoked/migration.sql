-- Who ended an operator token and who made a join token, for the audit log.
ALTER TABLE operator_tokens ADD COLUMN revoked_by text;
ALTER TABLE join_tokens ADD COLUMN created_by text;
