-- Pages of the ledger in the console: entries that change the balance of a project, newest first.
SET LOCAL lock_timeout = '5s';

CREATE INDEX ledger_project_id_id_idx ON ledger (project_id, id DESC) WHERE balance_delta <> 0;
