"""The stream of events over a real HTTP server that ends and refuses it."""

from __future__ import annotations

import json
from typing import Any, Dict, List

import pytest

from phonerack import AuthenticationError

from ..server import CUT, Reply, Server, refusal
from .client import connect


def frame(id: str, text: str = "") -> bytes:
    event = {"id": id, "object": "event", "type": "phone.ready", "data": {"phone": {"name": text}}}
    return f"id: {id}\nevent: phone.ready\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def stream(*parts: bytes) -> Reply:
    return Reply(200, b"".join(parts))


async def test_continues_after_the_last_event(server: Server) -> None:
    waits: List[float] = []
    server.replies = [
        # Characters at which Python splits lines, and the format does not.
        stream(b"retry: 1000\n\nid: start\n\n:\n", frame("evt_1", "a\u2028b\x85c")),
        refusal(503, "service_unavailable", type="api_error"),
        CUT,
        stream(frame("evt_2"), frame("evt_3")),
    ]
    events: List[Dict[str, Any]] = []
    async with connect(server, waits) as client:
        async for event in client.events(type="phone.ready", phone="ph_aaaaaaaaaaaa"):
            events.append(event)
            if len(events) == 3:
                break
    assert [event["id"] for event in events] == ["evt_1", "evt_2", "evt_3"]
    assert events[0]["data"]["phone"]["name"] == "a\u2028b\x85c"
    assert [seen.headers.get("last-event-id") for seen in server.seen] == [None, "evt_1", "evt_1", "evt_1"]
    assert server.lines[0] == "GET /v1/events?type=phone.ready&phone=ph_aaaaaaaaaaaa"
    assert server.seen[0].headers["accept"] == "text/event-stream"
    assert waits == [0.25, 0.5, 1.0]


async def test_continues_from_the_position_of_a_stream_without_events(server: Server) -> None:
    server.replies = [stream(b"id: start\n\n"), stream(frame("evt_1"))]
    async with connect(server) as client:
        async for event in client.events(last_event_id="evt_0"):
            assert event["id"] == "evt_1"
            break
    assert [seen.headers.get("last-event-id") for seen in server.seen] == ["evt_0", "start"]


async def test_ends_with_the_refusal_of_the_api(server: Server) -> None:
    server.replies = [refusal(401, "key_revoked", type="authentication_error")]
    async with connect(server) as client:
        with pytest.raises(AuthenticationError):
            async for _ in client.events():
                pass
    assert len(server.seen) == 1
