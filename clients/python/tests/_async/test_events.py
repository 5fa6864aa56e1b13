"""The stream of events over a real HTTP server that ends and refuses it."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

import pytest

from phonerack import ApiError, AuthenticationError, PhonerackConnectionError, PhonerackError

from ..server import CUT, Reply, Server, refusal
from .client import connect


def frame(id: str, text: str = "") -> bytes:
    event = {"id": id, "object": "event", "type": "phone.ready", "data": {"phone": {"name": text}}}
    return f"id: {id}\nevent: phone.ready\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def stream(*parts: bytes) -> Reply:
    return Reply(200, b"".join(parts), {"content-type": "text/event-stream; charset=utf-8"})


async def test_continues_after_the_last_event(server: Server) -> None:
    waits: List[float] = []
    retries: List[Optional[PhonerackError]] = []
    server.replies = [
        # Python splits lines at these characters, but the format does not.
        stream(b"retry: 1000\n\nid: start\n\n:\n", frame("evt_1", "a\u2028b\x85c")),
        refusal(503, "service_unavailable", type="api_error"),
        CUT,
        stream(frame("evt_2"), frame("evt_3")),
    ]
    events: List[Dict[str, Any]] = []
    async with connect(server, waits) as client:
        async for event in client.events(
            type="phone.ready", phone="ph_aaaaaaaaaaaa", on_retry=retries.append
        ):
            events.append(event)
            if len(events) == 3:
                break
    assert [event["id"] for event in events] == ["evt_1", "evt_2", "evt_3"]
    assert events[0]["data"]["phone"]["name"] == "a\u2028b\x85c"
    assert [seen.headers.get("last-event-id") for seen in server.seen] == [None, "evt_1", "evt_1", "evt_1"]
    assert server.lines[0] == "GET /v1/events?type=phone.ready&phone=ph_aaaaaaaaaaaa"
    assert server.seen[0].headers["accept"] == "text/event-stream"
    assert waits == [0.25, 0.5, 1.0]
    assert [error and error.code for error in retries] == [None, "service_unavailable", "connection_failed"]


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


async def test_refuses_an_id_that_no_event_has(server: Server) -> None:
    async with connect(server) as client:
        with pytest.raises(ValueError, match="is not the ID of an event"):
            async for _ in client.events(last_event_id="evt_\u2026"):
                pass
    assert server.seen == []


async def test_raises_the_error_of_a_first_connection_that_cannot_be_made(server: Server) -> None:
    waits: List[float] = []
    server.answer = lambda seen: CUT
    async with connect(server, waits, max_retries=2) as client:
        with pytest.raises(PhonerackConnectionError):
            async for _ in client.events():
                pass
    assert len(server.seen) == 3
    assert waits == [0.25, 0.5]


async def test_raises_for_an_answer_that_is_not_a_stream_of_events(server: Server) -> None:
    server.replies = [Reply(200, b"<p>Welcome</p>", {"content-type": "text/html"})]
    async with connect(server) as client:
        with pytest.raises(ApiError) as raised:
            async for _ in client.events():
                pass
    assert (raised.value.code, raised.value.status) == ("unexpected_answer", 200)
    assert len(server.seen) == 1


async def test_raises_for_an_event_that_is_not_a_json_object(server: Server) -> None:
    for data in (b'{"id": "evt_1"', b"null", b"[" * 100_000):
        server.replies = [stream(b"id: evt_1\ndata: " + data + b"\n\n")]
        async with connect(server) as client:
            with pytest.raises(ApiError) as raised:
                async for _ in client.events():
                    pass
        assert (raised.value.code, raised.value.retryable) == ("unexpected_answer", False)
    assert len(server.seen) == 3


async def test_connects_less_and_less_often_to_a_service_that_ends_every_stream(server: Server) -> None:
    waits: List[float] = []
    server.replies = [*[stream(b"id: start\n\n")] * 4, stream(frame("evt_1")), stream(frame("evt_2"))]
    ids: List[str] = []
    async with connect(server, waits, max_retries=1) as client:
        async for event in client.events():
            ids.append(event["id"])
            if len(ids) == 2:
                break
    assert waits == [0.25, 0.5, 1.0, 2.0, 0.25]


async def test_lists_past_events_over_pages(server: Server) -> None:
    events = [{"id": f"evt_{at}", "object": "event", "type": "phone.ready", "data": {}} for at in (3, 2, 1)]
    server.replies = [
        Reply(200, {"data": events[:2], "next_cursor": "more"}),
        Reply(200, {"data": events[2:], "next_cursor": None}),
    ]
    async with connect(server) as client:
        past = client.past_events(type="phone.ready", phone="ph_aaaaaaaaaaaa")
        assert [event["id"] async for event in past] == ["evt_3", "evt_2", "evt_1"]
    path = "GET /v1/events?type=phone.ready&phone=ph_aaaaaaaaaaaa"
    assert server.lines == [path, f"{path}&cursor=more"]
    assert "event-stream" not in server.seen[0].headers["accept"]
