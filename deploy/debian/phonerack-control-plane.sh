#!/bin/sh
# phonerack-control-plane: serves, or runs one command such as migrate. See --help.
# Reads the settings of this machine if the user may; variables of the environment take precedence.
set -e
cli="$(dirname "$(readlink -f "$0")")/../lib/phonerack-control-plane/dist/cli.js"
# A user without an entry in passwd, as in a container, has no home.
export HOME="${HOME:-/var/lib/phonerack-control-plane}"
settings=${PHONERACK_ENV_FILE-/etc/phonerack/control-plane.env}
if [ -n "$settings" ] && [ -r "$settings" ]; then
  exec node --env-file="$settings" "$cli" "$@"
fi
exec node "$cli" "$@"
