"""The first hour of an agent's author: capacity, phones by key, screens as text, and pictures."""

from __future__ import annotations

from typing import Any, List, Tuple

import pytest

from phonerack import AsyncPhonerack, PhonerackError, TargetNotFoundError, home, tap

from ..server import OBSERVATION, PHONE, Reply, Seen, Server, phone, refusal
from .client import connect

FULL = refusal(503, "capacity_unavailable", headers={"retry-after": "1"}, retryable=True, type="provider_error")


async def test_fails_immediately_when_no_phone_is_free(server: Server) -> None:
    server.answer = lambda seen: FULL
    async with connect(server) as client:
        with pytest.raises(PhonerackError) as caught:
            await client.phones.create()
    assert (caught.value.code, len(server.seen)) == ("capacity_unavailable", 1)


async def test_waits_for_a_free_phone_with_the_same_key_and_reports_each_repeat(server: Server) -> None:
    retries: List[Tuple[str, float]] = []
    server.replies = [FULL, FULL, Reply(201, phone("ready"))]
    async with AsyncPhonerack(
        api_key="prk_test",
        base_url=server.url,
        on_retry=lambda error, seconds: retries.append((error.code, seconds)),
    ) as client:
        assert (await client.phones.create(retry_capacity=5)).id == PHONE
        assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
        assert retries == [("capacity_unavailable", 1.0)] * 2
        server.seen.clear()
        server.answer = lambda seen: FULL
        with pytest.raises(PhonerackError, match="capacity_unavailable"):
            await client.phones.create(retry_capacity=1.5)
        assert len(server.seen) == 2


async def test_creates_a_phone_for_a_key_once_and_starts_or_replaces_it_later(server: Server) -> None:
    listed: List[Any] = []
    dead = {**phone("deleted"), "id": "ph_dead"}

    def answer(seen: Seen) -> Reply:
        if seen.method == "GET":
            return Reply(200, {"data": listed, "next_cursor": None})
        if seen.url == "/v1/phones":
            keys = [each.headers["idempotency-key"] for each in server.seen if each.url == "/v1/phones"]
            return Reply(201, dead if len(keys) == 1 else phone("ready"))
        return Reply(200, phone("ready"))

    server.answer = answer
    async with connect(server) as client:
        made = await client.phones.get_or_create("shop 1", name="shop", metadata={"a": "b"})
        assert made.status == "ready"
        creates = [seen for seen in server.seen if seen.method == "POST"]
        body = {"name": "shop", "metadata": {"a": "b", "key": "shop 1"}, "wait": False}
        assert [seen.body for seen in creates] == [body, body]
        assert len({seen.headers["idempotency-key"] for seen in creates}) == 2
        listed.append(phone("parked"))
        server.seen.clear()
        assert (await client.phones.get_or_create("shop 1")).status == "ready"
    assert server.lines == [
        "GET /v1/phones?metadata%5Bkey%5D=shop+1&limit=1",
        f"POST /v1/phones/{PHONE}/start",
    ]


async def test_returns_the_phone_of_a_key_with_other_arguments_and_replaces_it_after_its_end(server: Server) -> None:
    conflict = refusal(409, "idempotency_conflict")
    running: List[Any] = [phone("ready")]
    ended: List[Any] = []

    def answer(seen: Seen) -> Reply:
        creates = [each.headers["idempotency-key"] for each in server.seen if each.url == "/v1/phones"]
        if seen.url.startswith("/v1/phones?"):
            if "status=" in seen.url:
                return Reply(200, {"data": ended if "deleted" in seen.url else [], "next_cursor": None})
            # Another caller creates the phone after the first request.
            return Reply(200, {"data": running if creates else [], "next_cursor": None})
        if seen.url != "/v1/phones":
            return Reply(200, phone("ready"))
        return conflict if len(set(creates)) == 1 else Reply(201, {**phone("ready"), "id": "ph_new"})

    server.answer = answer
    async with connect(server) as client:
        assert (await client.phones.get_or_create("a", name="b")).id == PHONE
        server.seen.clear()
        running.clear()
        ended.append({**phone("deleted"), "id": "ph_dead"})
        assert (await client.phones.get_or_create("a", name="b")).id == "ph_new"
        server.seen.clear()
        ended.clear()
        with pytest.raises(PhonerackError) as caught:
            await client.phones.get_or_create("a")
    assert caught.value.code == "idempotency_conflict"


async def test_waits_for_a_phone_that_is_parking_and_creates_another_if_the_park_deleted_it(server: Server) -> None:
    end = "parked"

    def answer(seen: Seen) -> Reply:
        if seen.url.startswith("/v1/phones?"):
            return Reply(200, {"data": [phone("parking")], "next_cursor": None})
        if seen.method == "GET":
            return Reply(200, phone(end))
        return Reply(201, {**phone("ready"), "id": "ph_new"} if seen.url == "/v1/phones" else phone("ready"))

    server.answer = answer
    async with connect(server) as client:
        assert (await client.phones.get_or_create("a")).id == PHONE
        end = "deleted"
        assert (await client.phones.get_or_create("a")).id == "ph_new"


async def test_remembers_the_last_screen_for_its_changes(server: Server) -> None:
    element = OBSERVATION["elements"][0]
    head = {name: value for name, value in OBSERVATION.items() if name not in ("elements", "snapshot_id")}
    sorted_out = {"same": False, "added": [element], "changed": [], "removed": [7], "kept": 3}
    changes = {**head, "snapshot_id": "snp_bbbbbbbbbbbb", "since": "snp_aaaaaaaaaaaa", **sorted_out}
    done = {"results": [{"index": 0, "type": "home", "ok": True, "ms": 1}], "completed": 1}
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [
            Reply(200, OBSERVATION),
            Reply(200, {**done, "observation": changes}),
            Reply(200, {**OBSERVATION, "since": "snp_bbbbbbbbbbbb", "whole": True}),
            Reply(200, done),
        ]
        first = await one.changes()
        assert first.is_whole and not first.is_same and len(first.added) == 1
        result = await one.act([home()], observe="changes")
        assert result.observation is None and result.changes is not None
        assert (result.changes.removed, result.changes.is_whole) == ([7], False)
        assert result.changes.added[0].target == {"ref": 1, "snapshot_id": "snp_bbbbbbbbbbbb"}
        assert (await one.changes()).is_whole
        assert (await one.act([home()], observe="auto")).changes is None
    sent = [(each.url.split("?")[-1], each.body) for each in server.seen[1:]]
    assert sent[0][0].endswith("/observe")
    assert sent[1][1]["since"] == "snp_aaaaaaaaaaaa"
    assert sent[2][0] == "since=snp_bbbbbbbbbbbb"
    assert sent[3][1]["since"] == "snp_aaaaaaaaaaaa"


async def test_has_the_screen_of_a_batch_that_observes_text(server: Server) -> None:
    seen = {name: value for name, value in OBSERVATION.items() if name != "elements"}
    done = {"index": 0, "type": "home", "ok": True, "ms": 1}
    error = {"code": "target_not_found", "message": "No.", "retryable": False, "next": None, "details": {}}
    failed = {"index": 0, "type": "tap", "ok": False, "ms": 1, "error": error}
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [Reply(200, {"results": [done], "completed": 1, "observation": seen})]
        observation = (await one.act([home()], observe="text")).observation
        assert observation is not None
        assert (str(observation), observation.elements) == (OBSERVATION["text"], [])
        server.replies = [Reply(200, {"results": [failed], "completed": 0, "observation": seen})]
        with pytest.raises(TargetNotFoundError) as caught:
            await one.act([tap(text="Next")], observe="text")
    assert str(caught.value.observation) == OBSERVATION["text"]


async def test_has_the_scale_of_a_screenshot_and_whether_its_window_forbids_it(server: Server) -> None:
    headers = {"X-Screen-Scale": "0.666667", "X-Screen-Width": "1080", "X-Screen-Height": "2400"}
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [Reply(200, b"jpeg", {**headers, "X-Screen-Secure": "true"}), Reply(200, b"png", headers)]
        shot = await one.screenshot(format="jpeg")
        assert (shot, shot.scale, shot.screen, shot.secure, shot.snapshot_id) == (
            b"jpeg",
            0.666667,
            (1080, 2400),
            True,
            None,
        )
        assert not (await one.screenshot()).secure
