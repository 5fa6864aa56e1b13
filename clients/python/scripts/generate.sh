#!/usr/bin/env bash
# Writes the generated files again: models and requests from the API's OpenAPI document, the sync client from the
# async one. Usage: generate.sh [OPENAPI_JSON]. Without a file, it reads the document of the built control plane.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${PYTHON:-/usr/bin/python3}
document=${1:-}
if [ -z "$document" ]; then
  document=$(mktemp)
  trap 'rm -f "$document"' EXIT
  node scripts/openapi.mjs > "$document"
fi
"$python" scripts/generate.py "$document" src/phonerack/_generated
"$python" scripts/generate_sync.py
