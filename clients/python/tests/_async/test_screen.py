"""The screen: finding elements, and the actions that are sent."""

from __future__ import annotations

import datetime
import re
from typing import Any, List

import pytest

from phonerack import ActionError, AsyncPhone, PhonerackError, tap, type_text

from ..server import OBSERVATION, PHONE, Reply, Seen, Server, phone, refusal
from .client import connect

DONE = {"results": [{"index": 0, "type": "tap", "ok": True, "ms": 1}], "completed": 1}


def answer(seen: Seen) -> Reply:
    if seen.url.endswith("/observe"):
        return Reply(200, OBSERVATION)
    if seen.url.endswith("/actions"):
        wants = seen.body.get("observe") != "none"
        return Reply(200, {**DONE, "observation": OBSERVATION} if wants else DONE)
    return Reply(200, phone("ready"))


def batches(server: Server) -> List[Any]:
    return [each.body for each in server.seen if each.url.endswith("/actions")]


async def test_finds_elements_and_taps_one_that_was_found(server: Server) -> None:
    server.answer = answer
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        screen = await one.observe()
        assert str(screen) == screen.text == '[1] Button "Next"'
        assert screen.taken_at == datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
        found = screen.find(text=re.compile("^Ne"), type="Button")
        assert found is not None and found.center == (5, 5) and found.state == ("clickable",)
        assert screen.find(id="next") == screen.find(id="a.b:id/next") == found
        assert screen.find(text="Ne") is screen.find(id="ext") is screen.find(desc="Next") is None
        result = await one.act([tap(found), type_text("hello", into={"text": "Name"}, submit=True)])
        assert result.observation is not None and result.observation.elements == screen.elements
        await one.tap(text="Next", timeout=3)
        await one.tap(found)
        await one.tap(x=1, y=2)
    assert batches(server) == [
        {
            "actions": [
                {"type": "tap", "target": {"ref": 1, "snapshot_id": "snp_aaaaaaaaaaaa"}},
                {"type": "type", "text": "hello", "target": {"text": "Name"}, "submit": True},
            ]
        },
        {
            "actions": [
                {"type": "wait_for", "target": {"text": "Next"}, "timeout_ms": 3000},
                {"type": "tap", "target": {"text": "Next"}},
            ],
            "observe": "none",
        },
        {
            "actions": [{"type": "tap", "target": {"ref": 1, "snapshot_id": "snp_aaaaaaaaaaaa"}}],
            "observe": "none",
        },
        {"actions": [{"type": "tap", "target": {"x": 1, "y": 2}}], "observe": "none"},
    ]


async def test_sends_each_action(server: Server) -> None:
    server.answer = answer
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        await one.double_tap(desc="Map")
        await one.long_press(id="row", duration=1.5)
        await one.type_text("hi", into={"id": "name"}, clear=True, timeout=2)
        await one.clear({"id": "name"})
        await one.press("enter", ["ctrl"])
        await one.back()
        await one.home()
        await one.swipe({"x": 1, "y": 2}, {"x": 3, "y": 4}, duration=0.2)
        await one.scroll("down", amount=0.5)
        await one.scroll_to(text="Privacy", nth=1, max_scrolls=3)
        await one.open_app("a.b", activity=".Main")
        await one.close_app("a.b")
        await one.open_url("https://a.example")
        screen = await one.wait_for(text="Loading", timeout=5, state="gone")
    assert screen.find(text="Next") is not None
    wait = {"type": "wait_for", "target": {"id": "name"}, "timeout_ms": 2000}
    assert [each["actions"] for each in batches(server)] == [
        [{"type": "double_tap", "target": {"desc": "Map"}}],
        [{"type": "long_press", "target": {"id": "row"}, "duration_ms": 1500}],
        [wait, {"type": "type", "text": "hi", "target": {"id": "name"}, "clear": True}],
        [{"type": "clear", "target": {"id": "name"}}],
        [{"type": "key", "key": "enter", "modifiers": ["ctrl"]}],
        [{"type": "back"}],
        [{"type": "home"}],
        [{"type": "swipe", "from": {"x": 1, "y": 2}, "to": {"x": 3, "y": 4}, "duration_ms": 200}],
        [{"type": "scroll", "direction": "down", "amount": 0.5}],
        [{"type": "scroll_to", "target": {"text": "Privacy", "nth": 1}, "max_scrolls": 3}],
        [{"type": "open_app", "package": "a.b", "activity": ".Main"}],
        [{"type": "close_app", "package": "a.b"}],
        [{"type": "open_url", "url": "https://a.example"}],
        [{"type": "wait_for", "target": {"text": "Loading"}, "timeout_ms": 5000, "state": "gone"}],
    ]


async def test_refuses_a_target_that_is_not_one(server: Server) -> None:
    async with connect(server) as client:
        one = AsyncPhone(client._connection, phone("ready"))  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="exactly one"):
            await one.tap()
        with pytest.raises(TypeError, match="exactly one"):
            await one.tap(text="a", id="b")
        with pytest.raises(TypeError, match="exactly one"):
            await one.tap(None)
        with pytest.raises(TypeError, match="needs `x` and `y`"):
            await one.tap(x=1)
        with pytest.raises(TypeError, match="needs `text`"):
            await one.tap(id="a", nth=1)
        with pytest.raises(TypeError, match="cannot be waited for"):
            await one.tap(x=1, y=2, timeout=1)
        with pytest.raises(TypeError, match="not a target"):
            await one.tap("Next")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="above 0"):
            await one.observe(timeout=0)
    assert server.seen == []


async def test_raises_the_error_of_the_action_that_failed_with_its_candidates(server: Server) -> None:
    error = {
        "code": "ambiguous_target",
        "message": "Two match.",
        "retryable": False,
        "next": "Use `nth`.",
        "details": {"candidates": [{"ref": 1}, {"ref": 2}]},
    }
    results = [
        {"index": 0, "type": "home", "ok": True, "ms": 1},
        {"index": 1, "type": "tap", "ok": False, "ms": 1, "error": error},
    ]
    batch = {"results": results, "completed": 1, "observation": OBSERVATION}
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [Reply(200, batch, {"x-request-id": "req_bbbbbbbbbbbb"})]
        with pytest.raises(ActionError) as caught:
            await one.tap(text="Next")
    failed = caught.value
    assert (failed.code, failed.next, failed.index, failed.completed) == ("ambiguous_target", "Use `nth`.", 1, 1)
    assert (failed.message, failed.status, failed.request_id) == ("Two match.", None, "req_bbbbbbbbbbbb")
    assert len(failed.details["candidates"]) == 2
    assert failed.raw == batch
    assert failed.to_dict() == {**error, "type": "invalid_request_error", "request_id": "req_bbbbbbbbbbbb"}
    assert failed.observation is not None and failed.observation.find(text="Next") is not None


async def test_reads_a_picture(server: Server) -> None:
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [Reply(200, b"\x89PNG")]
        assert await one.screenshot(max_width=300, annotate=True) == b"\x89PNG"
        server.replies = [refusal(409, "phone_starting", retryable=True), Reply(200, b"jpeg")]
        assert await one.screenshot(format="jpeg", quality=50) == b"jpeg"
        server.replies = [refusal(409, "phone_not_running")]
        with pytest.raises(PhonerackError, match="phone_not_running"):
            await one.observe()
    assert server.lines[1] == f"GET /v1/phones/{PHONE}/screenshot?max_width=300&annotate=true"
    assert server.lines[3] == f"GET /v1/phones/{PHONE}/screenshot?format=jpeg&quality=50"
