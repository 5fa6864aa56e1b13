/**
 * Programs on the machines of a test that replace programs that need systemd, a package repository or a
 * login: shell scripts in `/usr/local/bin`. The commands of the operator's guide run unchanged with them.
 */

/** Reads a unit and its drop-ins, and starts the service as the unit's user, without any right. */
const systemctl = `#!/bin/sh
set -eu
say() { echo "systemctl: $*" >&2; exit 1; }
command=\${1-}; shift || true
[ "\${1-}" = --now ] && { now=1; shift; }
name=\${1-}
name=\${name%.service}
if [ "$command $name" = 'restart postgresql' ]; then
  # shellcheck disable=SC2046
  set -- $(pg_lsclusters --no-header)
  exec pg_ctlcluster "$1" "$2" restart
fi
unit=/usr/lib/systemd/system/$name.service
[ -e "$unit" ] || unit=/lib/systemd/system/$name.service
log=/var/log/$name.log
get() {
  for file in "$unit" /etc/systemd/system/"$name".service.d/*.conf; do
    [ ! -e "$file" ] || sed -n "s/^$1=\\(..*\\)/\\1/p" "$file"
  done | tail -n 1
}
runs() { [ -s "/run/$name.pid" ] && kill -0 "$(cat "/run/$name.pid")" 2>/dev/null; }
start() {
  [ -e "$unit" ] || say "unit $name does not exist"
  runs && return
  condition=$(get ConditionPathExists)
  [ -z "$condition" ] || [ -e "$condition" ] || say "$condition does not exist"
  user=$(get User) group=$(get Group) folder=$(get WorkingDirectory) state=$(get StateDirectory)
  [ -z "$state" ] || install -d -o "$user" -g "$group" -m "$(get StateDirectoryMode)" "/var/lib/$state"
  cd "\${folder:-/}"
  mask=$(get UMask)
  umask "\${mask:-0022}"
  # As systemd sets them.
  set -- env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin LANG=C.UTF-8 USER="$user" HOME="/var/lib/$state"
  # shellcheck disable=SC2046
  setsid setpriv --reuid "$user" --regid "$group" --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all \\
    "$@" $(get ExecStart) </dev/null >>"$log" 2>&1 &
  echo $! >"/run/$name.pid"
}
# Returns when the process has ended, and the system accepts no connection for it.
end() {
  runs || return 0
  pid=$(cat "/run/$name.pid")
  kill "-$1" "$pid"
  while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  rm -f "/run/$name.pid"
}
case $command in
daemon-reload) ;;
enable) [ -z "\${now-}" ] || start ;;
start) start ;;
stop) end TERM ;;
restart) end TERM; start ;;
reload) kill -HUP "$(cat "/run/$name.pid")" ;;
kill) end KILL ;;
is-active) runs ;;
*) say "unknown command $command" ;;
esac
`

/** Installs the packages that are given as files. Every machine has the other packages already. */
const aptGet = `#!/bin/sh
set -eu
shift
for name; do case $name in ./*) set -- "$@" "$name" ;; esac; shift; done
[ $# -eq 0 ] || dpkg --install --force-depends --force-unsafe-io --no-triggers "$@" >/var/log/dpkg-said 2>&1 || {
  cat /var/log/dpkg-said >&2
  exit 1
}
`

/**
 * Stores the command and its input in the folder that all machines share. The test runs the command on the
 * target machine afterwards.
 */
const ssh = `#!/bin/sh
set -eu
address=\${1#root@}; shift
job=/mnt/$address/$(date +%s%N)
mkdir -p "/mnt/$address"
cat >"$job.input"
printf '%s\\n' "$*" >"$job.command"
`

/** Runs a command as another user: `sudo -u USER COMMAND …`. */
const sudo = `#!/bin/sh
set -eu
user=$2; shift 2
cd /
exec runuser -u "$user" -- "$@"
`

export const standIns: Readonly<Record<string, string>> = { systemctl, 'apt-get': aptGet, ssh, sudo }
