-- Whether the phones of a project run shell commands. docs/decisions/0320
SET LOCAL lock_timeout = '5s';

ALTER TABLE projects ADD COLUMN shell_enabled boolean NOT NULL DEFAULT true;
