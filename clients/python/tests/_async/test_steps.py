"""Steps of a phone, and exports of a session."""

from __future__ import annotations

import pytest

from phonerack import NotFoundError

from ..server import PHONE, Reply, Server, refusal
from ..server import phone as phone_fields
from .client import connect

STEP = {"object": "step", "id": "stp_aaaaaaaaaaaa"}


async def test_lists_gets_and_exports_steps(server: Server) -> None:
    server.replies = [
        Reply(200, phone_fields("ready")),
        Reply(200, {"data": [STEP], "next_cursor": "more"}),
        Reply(200, {"data": [STEP], "next_cursor": None}),
        Reply(200, STEP),
        Reply(200, b"\x01\x02"),
        Reply(200, b"<!doctype html>"),
        refusal(404, "step_not_found", type="not_found_error"),
    ]
    async with connect(server) as client:
        phone = await client.phones.get(PHONE)
        steps = phone.steps
        found = [step async for step in steps.list(session="ses_a", observations="none")]
        assert found == [STEP, STEP]
        assert await steps.get("stp_aaaaaaaaaaaa", observations="none") == STEP
        assert await steps.screenshot("stp_aaaaaaaaaaaa") == b"\x01\x02"
        assert await steps.export("html", session="ses_a") == b"<!doctype html>"
        with pytest.raises(NotFoundError):
            await steps.get("stp_bbbbbbbbbbbb")
    paths = [seen.url for seen in server.seen]
    assert paths[1] == f"/v1/phones/{PHONE}/steps?session=ses_a&observations=none"
    assert paths[3] == f"/v1/phones/{PHONE}/steps/stp_aaaaaaaaaaaa?observations=none"
    assert paths[5] == f"/v1/phones/{PHONE}/steps/export?format=html&session=ses_a"
