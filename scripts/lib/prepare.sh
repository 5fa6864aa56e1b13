# Sourced by the scripts in this folder. It prepares the checkout and sets `root`. It is fast when nothing has
# changed, so that a second start is not slowed.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export TURBO_TELEMETRY_DISABLED=1 DO_NOT_TRACK=1
stamp="$root/node_modules/.cache/phonerack/built"

say() { printf '  %s\n' "$*"; }
die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

check_node() {
  command -v node >/dev/null 2>&1 || die 'Node.js is missing; install 20.19 or newer, best 24 (https://nodejs.org)'
  command -v npm >/dev/null 2>&1 || die 'npm is missing; it comes with Node.js'
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    die "Node.js $(node -v) is too old; install 20.19 or newer, best 24 (https://nodejs.org)"
}

# Runs "$@" and shows its output only when it fails.
quietly() {
  local log code=0
  log=$(mktemp)
  (cd "$root" && "$@") >"$log" 2>&1 9>&- || code=$?
  if [ "$code" -ne 0 ]; then
    # npm prints the reason first, and compilers print it last.
    grep -v EBADENGINE "$log" | awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i <= 25 || i > NR - 25) print line[i] }' >&2
    rm -f "$log"
    return "$code"
  fi
  rm -f "$log"
}

install_packages() {
  if [ -f "$root/node_modules/.package-lock.json" ] &&
    ! [ "$root/package-lock.json" -nt "$root/node_modules/.package-lock.json" ]; then
    return 0
  fi
  say '… npm packages (the first time takes a minute)'
  quietly npm ci --no-fund --no-audit || die 'npm ci failed'
  # npm keeps the time of unchanged files, and the next run compares with this file's time.
  touch "$root/node_modules/.package-lock.json"
}

# True when a source is newer than the last whole build.
needs_build() {
  [ -f "$stamp" ] || return 0
  [ -n "$(cd "$root" && find package.json turbo.json tsconfig.base.json proto shared control-plane host-agent \
    virtual-phone launcher clients console site docs deploy examples SECURITY.md \( -name node_modules -o -name dist -o -name gen -o -name .turbo -o -name '__pycache__' -o -name '.*_cache' \) -prune -o \
    -type f ! -name '*.test.ts' -newer "$stamp" -print 2>/dev/null | head -n 1)" ]
}

build() {
  needs_build || return 0
  say '… build'
  build_all
}

# Builds the changed packages, and records the build.
build_all() {
  local started
  started=$(mktemp)
  quietly node_modules/.bin/turbo run build --output-logs=errors-only || {
    rm -f "$started"
    return 1
  }
  mkdir -p "$(dirname "$stamp")"
  # The file has the time at which the build began, so that files that change during the build are built
  # again.
  touch -r "$started" "$stamp"
  rm -f "$started"
}

# Builds a package that `needs_build` excludes, and the packages that it imports.
build_package() {
  quietly node_modules/.bin/turbo run build --filter="@phonerack/$1" --output-logs=errors-only ||
    die "the build of $1 failed"
}

# Several scripts can start concurrently in one checkout: one script prepares, and the others wait.
alone() {
  if ! command -v flock >/dev/null 2>&1; then
    "$@"
    return
  fi
  mkdir -p "$root/.turbo"
  (
    flock -w 900 9 || die 'another script has been preparing this checkout for 15 minutes'
    "$@"
  ) 9>"$root/.turbo/prepare.lock"
}

prepare_packages() { alone install_packages; }

prepare() {
  check_node
  alone install_packages
  needs_build || return 0
  alone build || die 'the build failed'
}
