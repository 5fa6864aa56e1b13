#!/usr/bin/env bash
# Builds the wheel. Usage: build.sh FOLDER. Needs Debian's python3-build, python3-setuptools and python3-wheel.
set -euo pipefail
[ $# = 1 ] || { echo "Usage: build.sh FOLDER" >&2; exit 2; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
# The build uses a copy, since setuptools keeps modules of earlier builds in the source folder.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -L "$root/pyproject.toml" "$root/README.md" "$root/LICENSE" "$copy"
cp -R "$root/src" "$copy/src"
find "$copy" -name __pycache__ -prune -exec rm -rf {} +
"${PYTHON:-/usr/bin/python3}" -m build --no-isolation --wheel --outdir "$folder" "$copy"
