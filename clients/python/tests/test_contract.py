"""The check of requests finds requests that the API would refuse."""

from __future__ import annotations

import json
from typing import Any, Optional

import pytest

from . import contract
from .server import PHONE, Seen


@pytest.mark.parametrize(
    ("line", "body", "problem"),
    [
        ("POST /v1/phones", {"name": "one"}, None),
        ("POST /v1/phones", {"nam": "one"}, "'nam' is not a field"),
        ("POST /v1/phones", {"idle_timeout": "60"}, "not of the type integer"),
        ("POST /v1/phones", {"wait": 1}, "not of the type boolean"),
        ("POST /v1/phones", {"idle_timeout": 1}, "outside of the minimum"),
        (f"POST /v1/phones/{PHONE}/actions", {}, "'actions'"),
        (f"POST /v1/phones/{PHONE}/actions", {"actions": [{"type": "tap", "target": {"txt": "a"}}]}, "no form"),
        (f"PUT /v1/phones/{PHONE}/locale", {"locale": None}, "not of the type string"),
        (f"GET /v1/phones/{PHONE}?wait=ready", None, None),
        (f"GET /v1/phones/{PHONE}?wai=ready", None, "wai is not a parameter"),
        ("POST /store", {"any": 1}, None),
    ],
)
def test_finds_each_mismatch(line: str, body: Any, problem: Optional[str]) -> None:
    method, url = line.split(" ")
    raw = b"" if body is None else json.dumps(body).encode()
    try:
        found = contract.problems([Seen(method, url, {}, raw)])
    except contract.Missing as reason:
        pytest.skip(str(reason))
    assert len(found) == (0 if problem is None else 1)
    assert problem is None or problem in found[0]
