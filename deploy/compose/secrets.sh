#!/bin/sh
# Writes missing secrets of compose.yaml into a folder. Run it as root: ./secrets.sh [FOLDER]
# Docker mounts each file with its owner and mode: 10001 is the user of the control planes, and 999 the group of Postgres.
set -eu
umask 077
folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder"
cd "$folder"

# write NAME OWNER MODE TEXT: writes a secret unless the file exists.
write() {
  [ -e "$1" ] && return
  printf %s "$4" >"$1.new"
  chown "$2" "$1.new"
  chmod "$3" "$1.new"
  mv "$1.new" "$1"
}
random() { openssl rand -hex 24; }

if ! [ -e postgres-cert ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=postgres \
    -addext subjectAltName=DNS:postgres -keyout postgres-key -out postgres-cert.new 2>/dev/null
  # Postgres accepts a key that root owns and that the group of Postgres can read.
  chown 0:999 postgres-key
  chmod 0640 postgres-key
  chmod 0444 postgres-cert.new
  mv postgres-cert.new postgres-cert
fi
write postgres-password 0:999 0640 "$(random)"
write service-password 0:999 0640 "$(random)"
at='postgres/phonerack?sslmode=verify-full&sslrootcert=/run/secrets/postgres-cert'
write migration-url 10001:10001 0400 "postgresql://phonerack:$(cat postgres-password)@$at"
write database-url 10001:10001 0400 "postgresql://phonerack_service:$(cat service-password)@$at"
write minio-password 10001:10001 0400 "$(random)"
