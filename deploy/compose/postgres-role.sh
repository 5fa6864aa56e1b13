#!/bin/sh
# Creates the role of the control planes in a new database. `migrate --role` gives it its rights.
set -eu
psql --set ON_ERROR_STOP=1 --set password="$(cat /run/secrets/service-password)" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role phonerack_service login password :'password';
SQL
