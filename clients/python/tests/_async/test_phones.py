"""Phones: their time, lists, and the end of a block."""

from __future__ import annotations

from typing import List

import pytest

from phonerack import NotFoundError, PhonerackConnectionError, PhonerackError

from ..server import CUT, PHONE, Reply, Seen, Server, phone, refusal
from .client import connect


async def test_creates_and_waits_until_the_phone_is_ready(server: Server) -> None:
    server.replies = [Reply(202, phone("creating")), Reply(200, phone("new-state")), Reply(200, phone("ready"))]
    async with connect(server) as client:
        made = await client.phones.create(name="one", idle_timeout=60, metadata={"a": "b"}, on_idle="delete")
    assert (made.id, made.status, made.name) == (PHONE, "ready", "one")
    assert server.seen[0].body == {
        "name": "one",
        "idle_timeout": 60,
        "metadata": {"a": "b"},
        "on_idle": "delete",
    }
    assert server.seen[0].headers["content-type"] == "application/json"
    assert server.lines == ["POST /v1/phones"] + [f"GET /v1/phones/{PHONE}?wait=ready&timeout=50"] * 2


async def test_creates_without_a_wait(server: Server) -> None:
    server.replies = [Reply(202, phone("creating"))]
    async with connect(server) as client:
        assert (await client.phones.create(wait=False)).status == "creating"
    assert [each.body for each in server.seen] == [{"wait": False}]


async def test_raises_the_failure_of_a_phone_that_cannot_become_ready(server: Server) -> None:
    failure = {"code": "capacity_unavailable", "message": "No device.", "at": "2026-01-01T00:00:00.000Z"}
    server.replies = [Reply(202, phone("creating")), Reply(200, phone("failed", failure))]
    async with connect(server) as client:
        with pytest.raises(PhonerackError) as caught:
            await client.phones.create()
        assert caught.value.code == "capacity_unavailable"
        assert caught.value.details == {"phone": PHONE, "status": "failed"}
        # The create fails while it waits: its answer names the phone, and a repeat would return the same answer.
        server.replies = [refusal(503, "capacity_unavailable", details={"phone": PHONE})]
        with pytest.raises(PhonerackError, match="capacity_unavailable"):
            await client.phones.create()
    assert len(server.seen) == 3


async def test_names_the_phone_that_was_not_ready_before_the_timeout(server: Server) -> None:
    server.answer = lambda seen: Reply(202, phone("creating"), delay=0 if seen.method == "POST" else 30)
    async with connect(server) as client:
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.phones.create(timeout=0.5)
    assert (caught.value.code, caught.value.details) == ("timeout", {"phone": PHONE})
    assert (caught.value.is_outcome_unknown, caught.value.retryable) == (False, False)


@pytest.mark.parametrize("is_cut", [True, False])
async def test_advises_no_repeat_of_a_call_that_was_carried_out_when_the_wait_after_it_breaks(
    server: Server, is_cut: bool
) -> None:
    busy = refusal(503, "service_unavailable", retryable=True)
    server.replies = [Reply(200, phone("parked"))]
    async with connect(server, max_retries=0) as client:
        one = await client.phones.get(PHONE)
        server.answer = lambda seen: (
            Reply(202, phone("starting")) if seen.method == "POST" else CUT if is_cut else busy
        )
        for call in (client.phones.create, one.start, one.reboot, one.reset):
            with pytest.raises(PhonerackError) as caught:
                await call()
            error = caught.value
            assert error.code == ("connection_failed" if is_cut else "service_unavailable")
            assert (error.retryable, error.is_outcome_unknown) == (False, False)
            assert error.details == {"phone": PHONE}
        # A wait alone changes nothing.
        with pytest.raises(PhonerackError) as read:
            await one.wait_until_ready()
        assert read.value.retryable is True


async def test_names_the_phone_that_is_billed_when_the_wait_for_it_fails(server: Server) -> None:
    revoked = refusal(401, "key_revoked", type="authentication_error")
    for reply in (revoked, Reply(is_cut=True)):
        server.replies = [Reply(202, phone("creating")), reply]
        async with connect(server, max_retries=0) as client:
            with pytest.raises(PhonerackError) as caught:
                await client.phones.create()
        assert caught.value.details == {"phone": PHONE}


async def test_starts_renames_and_parks(server: Server) -> None:
    def answer(seen: Seen) -> Reply:
        if seen.url.endswith("/start"):
            return Reply(202, phone("starting"))
        return Reply(200, phone("parked" if seen.url.endswith("/park") else "ready"))

    server.answer = answer
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        assert (await one.start(max_duration=600)).status == "ready"
        await one.update(name="two", metadata={})
        await one.heartbeat()
        assert (await one.park()).status == "parked"
        await one.refresh()
        await one.delete()
    assert [(each.line.replace(PHONE, "ID"), each.body) for each in server.seen] == [
        ("GET /v1/phones/ID", None),
        ("POST /v1/phones/ID/start", {"max_duration": 600}),
        ("GET /v1/phones/ID?wait=ready&timeout=50", None),
        ("PATCH /v1/phones/ID", {"name": "two", "metadata": {}}),
        ("POST /v1/phones/ID/heartbeat", None),
        ("POST /v1/phones/ID/park", {}),
        ("GET /v1/phones/ID", None),
        ("DELETE /v1/phones/ID", None),
    ]


async def test_iterates_over_all_pages_and_reads_no_more_than_needed(server: Server) -> None:
    def answer(seen: Seen) -> Reply:
        if "cursor=two" in seen.url:
            return Reply(200, {"data": [phone("parked")], "next_cursor": None})
        return Reply(200, {"data": [phone("ready"), phone("starting")], "next_cursor": "two"})

    server.answer = answer
    found: List[str] = []
    async with connect(server) as client:
        async for each in client.phones.list(status="ready", metadata={"team": "a b"}):
            found.append(each.status)
        assert found == ["ready", "starting", "parked"]
        assert server.lines == [
            "GET /v1/phones?status=ready&metadata%5Bteam%5D=a+b",
            "GET /v1/phones?status=ready&metadata%5Bteam%5D=a+b&cursor=two",
        ]
        assert len(await client.phones.list().to_list(1)) == 1
        assert await client.phones.list().to_list(0) == []
        assert len(server.seen) == 3
        # A list can be read twice.
        pages = client.phones.list()
        assert len(await pages.to_list()) == len(await pages.to_list()) == 3


async def test_reads_one_page(server: Server) -> None:
    server.answer = lambda seen: Reply(200, {"data": [phone("ready")], "next_cursor": "more"})
    async with connect(server) as client:
        page = await client.phones.list().page(cursor="here", limit=1)
        assert ([each.id for each in page.data], page.next_cursor) == ([PHONE], "more")
    assert server.lines == ["GET /v1/phones?limit=1&cursor=here"]


async def test_waits_until_it_is_ready_or_parked(server: Server) -> None:
    server.replies = [
        Reply(200, phone("creating")),
        Reply(200, phone("ready")),
        Reply(202, phone("parking")),
        Reply(200, phone("parking")),
        Reply(200, phone("parked")),
    ]
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        assert (await one.wait_until_ready()).status == "ready"
        assert (await one.park(wait=False)).status == "parking"
        assert (await one.wait_until_parked()).status == "parked"
        with pytest.raises(PhonerackError, match="Start the phone"):
            await one.wait_until_ready()
    assert server.seen[2].body == {"wait": False}
    assert server.lines[3:] == [f"GET /v1/phones/{PHONE}?wait=parked&timeout=50"] * 2


async def test_parks_at_the_end_of_its_block_even_after_an_error(server: Server) -> None:
    async with connect(server) as client:
        with pytest.raises(ZeroDivisionError):
            async with await client.phones.get(PHONE):
                raise ZeroDivisionError
        assert server.lines[1:] == [f"POST /v1/phones/{PHONE}/park"]


async def test_needs_no_park_of_a_phone_that_was_deleted(server: Server) -> None:
    gone = refusal(404, "phone_not_found", type="not_found_error")
    async with connect(server) as client:
        async with await client.phones.get(PHONE):
            server.replies = [gone]
        server.replies = [gone]
        with pytest.raises(NotFoundError):
            await client.phones.get(PHONE)


async def test_reports_a_park_that_failed(server: Server) -> None:
    async with connect(server) as client:
        with pytest.raises(PhonerackConnectionError):
            async with await client.phones.get(PHONE):
                server.replies = [CUT]
        with pytest.warns(RuntimeWarning, match=f"{PHONE} was not parked"):
            with pytest.raises(ZeroDivisionError):
                async with await client.phones.get(PHONE):
                    server.replies = [CUT]
                    raise ZeroDivisionError


async def test_sends_any_request(server: Server) -> None:
    server.answer = lambda seen: Reply(200, {"a": 1})
    async with connect(server) as client:
        assert await client.request("post", "/v1/new?x=1", body={"b": 2}) == {"a": 1}
        assert await client.account() == {"a": 1}
    assert server.seen[0].line == "POST /v1/new?x=1"
    assert server.seen[0].body == {"b": 2}
