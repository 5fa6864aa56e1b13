"""Cancelled tasks of the async client."""

from __future__ import annotations

import asyncio

import pytest

from ._async.client import connect
from .server import PHONE, Reply, Server, phone


async def test_ends_with_its_task_and_stays_usable(server: Server) -> None:
    server.replies = [Reply(200, phone("ready"), delay=30)]
    async with connect(server) as client:
        task = asyncio.ensure_future(client.phones.get(PHONE))
        while not server.seen:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        # The cancelled request is not repeated.
        assert len(server.seen) == 1
        assert (await client.phones.get(PHONE)).status == "ready"
        assert [each for each in asyncio.all_tasks() if each is not asyncio.current_task()] == []


async def test_runs_calls_at_the_same_time(server: Server) -> None:
    server.answer = lambda seen: Reply(200, phone("ready"), delay=0.2)
    async with connect(server) as client:
        loop = asyncio.get_running_loop()
        started = loop.time()
        await asyncio.gather(*(client.phones.get(PHONE) for _ in range(10)))
        assert loop.time() - started < 1.5


async def test_parks_the_phone_of_a_cancelled_task(server: Server) -> None:
    inside = asyncio.Event()

    async def work() -> None:
        async with connect(server) as client, await client.phones.create():
            inside.set()
            await asyncio.sleep(30)

    task = asyncio.ensure_future(work())
    await asyncio.wait_for(inside.wait(), 20)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert server.lines == ["POST /v1/phones", f"POST /v1/phones/{PHONE}/park"]
