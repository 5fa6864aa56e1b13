"""Checks sent requests against the OpenAPI document: parameters and bodies, without a library."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.parse
from typing import Any, Dict, List, Optional, Union

from .server import Seen

ROOT = pathlib.Path(__file__).parent.parent
KINDS = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


class Missing(Exception):
    """The reason why there is no document."""


def openapi() -> Dict[str, Any]:
    """The document of `PHONERACK_OPENAPI`, else of the built control plane of this checkout. Raises Missing."""
    loaded = _load()
    if isinstance(loaded, Missing):
        raise loaded
    return loaded


@functools.lru_cache(maxsize=None)
def _load() -> Union[Dict[str, Any], Missing]:
    given = os.environ.get("PHONERACK_OPENAPI")
    if given:
        return dict(json.loads(pathlib.Path(given).read_text(encoding="utf-8")))
    node = shutil.which("node")
    if node is None:
        return Missing("Node.js is missing, which writes the OpenAPI document")
    made = subprocess.run([node, str(ROOT / "scripts" / "openapi.mjs")], capture_output=True, timeout=100)
    if b"ERR_MODULE_NOT_FOUND" in made.stderr:
        return Missing("the control plane is not built, which writes the OpenAPI document")
    assert made.returncode == 0, made.stderr.decode()
    return dict(json.loads(made.stdout))


def problems(seen: List[Seen]) -> List[str]:
    """Requests that the API does not describe, such as requests to the upload URL, are omitted."""
    return [problem for each in seen for problem in _problems(each)]


def _problems(seen: Seen) -> List[str]:
    path, _, query = seen.url.partition("?")
    for template, methods in openapi()["paths"].items():
        if not re.fullmatch(re.sub(r"\\?\{\w+\\?\}", "[^/]+", template), path):
            continue
        operation = methods.get(seen.method.lower())
        if operation is None:
            continue
        known = {each["name"] for each in operation.get("parameters", []) if each["in"] == "query"}
        sent = {name.partition("[")[0] for name, _ in urllib.parse.parse_qsl(query)}
        found = [f"{seen.line}: {name} is not a parameter" for name in sorted(sent - known)]
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is not None and seen.raw:
            problem = mismatch(content["schema"], seen.body)
            found += [f"{seen.line}: {problem}"] if problem else []
        return found
    return []


def mismatch(schema: Dict[str, Any], value: Any) -> Optional[str]:
    """Why a value does not match a schema; None: the value matches."""
    if "$ref" in schema:
        return mismatch(openapi()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]], value)
    members = schema.get("anyOf") or schema.get("oneOf")
    if members:
        reasons = [mismatch(each, value) for each in members]
        return None if None in reasons else f"{value!r} matches no form"
    if "const" in schema and value != schema["const"]:
        return f"{value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{value!r} is not one of {schema['enum']}"
    kind = schema.get("type")
    if isinstance(kind, str) and kind in KINDS:
        is_bool = isinstance(value, bool) and kind != "boolean"
        if is_bool or not isinstance(value, KINDS[kind]):  # type: ignore[arg-type]
            return f"{value!r} is not of the type {kind}"
    for limit, is_outside in (("minimum", lambda a, b: a < b), ("maximum", lambda a, b: a > b)):
        if limit in schema and is_outside(value, schema[limit]):
            return f"{value!r} is outside of the {limit} {schema[limit]}"
    if kind == "array":
        return next(filter(None, (mismatch(schema.get("items", {}), each) for each in value)), None)
    if kind == "object":
        return _object_mismatch(schema, value)
    return None


def _object_mismatch(schema: Dict[str, Any], value: Dict[str, Any]) -> Optional[str]:
    fields = schema.get("properties", {})
    missing = set(schema.get("required", [])) - set(value)
    if missing:
        return f"{sorted(missing)} missing in {value!r}"
    for name, each in value.items():
        inner = fields.get(name, schema.get("additionalProperties", {}))
        if inner is False:
            return f"{name!r} is not a field"
        problem = mismatch(inner, each) if isinstance(inner, dict) else None
        if problem:
            return f"{name}: {problem}"
    return None
