#!/usr/bin/env bash
# Checks the Python SDK: generated files, types, tests, and the wheel in an empty folder.
# As root it installs the Debian packages that are missing. It reports checks that cannot run as `skipped: …`, and
# failed ones as `failed: …`. `./scripts/test` calls it.
# The last line counts: `N passed, N failed, N skipped`. It fails only for failed checks.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-/usr/bin/python3}
export PYTHONDONTWRITEBYTECODE=1
# The types of the sources are checked once, although a test checks the README's examples against them.
export MYPY_CACHE_DIR=$PWD/../../node_modules/.cache/mypy
passed=0 failed=0 skipped=0

finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
  exit
}
skip() {
  echo "skipped: $1"
  skipped=$((skipped + 1))
}
fail() {
  echo "failed: $1"
  failed=$((failed + 1))
}
# Ends a program that hangs, with exit code 124.
limited() {
  if command -v timeout > /dev/null; then timeout -k 10 900 "$@"; else "$@"; fi
}
has() { "$python" -c "import $1" 2> /dev/null; }

# Only variables that apt needs, and none of the project's secrets.
apt() {
  local given=() name
  for name in PATH HOME LANG TMPDIR http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY; do
    [ -z "${!name:-}" ] || given+=("$name=${!name}")
  done
  timeout -k 10 300 env -i "${given[@]}" DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 \
    -o Acquire::Retries=0 -o Acquire::http::Timeout=15 -o Acquire::https::Timeout=15 \
    -o APT::Update::Error-Mode=any "$@" > /dev/null
}
# Refreshes the package lists only when the packages are unknown.
install() {
  apt install -y --no-install-recommends "$@" && return
  apt update && apt install -y --no-install-recommends "$@"
}

if ! [ -x "$python" ] && ! command -v "$python" > /dev/null; then
  skip "all checks, since $python is missing"
  finish
fi

missing=()
for pair in httpx:python3-httpx pytest:python3-pytest mypy:mypy build:python3-build setuptools:python3-setuptools wheel:python3-wheel; do
  has "${pair%%:*}" || missing+=("${pair##*:}")
done
if [ ${#missing[@]} -gt 0 ] && [ "$python" = /usr/bin/python3 ]; then
  if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    echo "Installing ${missing[*]}."
    install "${missing[@]}" < /dev/null || echo "The install failed: checks that need these packages are skipped."
  else
    echo "Missing: ${missing[*]}. Install them as root to run all checks."
  fi
fi

if has mypy && has httpx; then
  if limited "$python" -m mypy; then passed=$((passed + 1)); else fail "mypy --strict"; fi
else
  skip "mypy --strict, since mypy or httpx is missing"
fi

if has pytest && has httpx; then
  report=$(mktemp)
  trap 'rm -f "$report"' EXIT
  limited "$python" -m pytest -q -rfEs --junit-xml "$report"
  status=$?
  counts=$("$python" scripts/counts.py "$report" 2> /dev/null) || {
    counts="0 1 0"
    echo "failed: pytest ended with $status and without a report"
  }
  read -r p f s <<< "$counts"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  # For example, conftest.py failed before the first test.
  if [ "$status" != 0 ] && [ "$f" = 0 ]; then fail "pytest ended with $status"; fi
else
  skip "the tests, since python3-pytest or python3-httpx is missing"
fi
finish
