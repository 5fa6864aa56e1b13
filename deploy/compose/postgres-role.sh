#!/bin/sh
# Creates the role of the control planes in a new database; `migrate --role` gives the role its rights. psql reads the
# password from its file, since every user of the machine can see the arguments of a process.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\set password `cat /run/secrets/service-password`
create role phonerack_service login password :'password';
SQL
