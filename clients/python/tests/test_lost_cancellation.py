"""A request that does not end when it is cancelled first. Only the async client cancels."""

from __future__ import annotations

import asyncio

import pytest

from phonerack._async._io import _before
from phonerack._deadline import Deadline


async def lose_one(cancelled: "list[bool]") -> str:
    try:
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        cancelled.append(True)
    await asyncio.sleep(60)
    return "answer"


def test_ends_at_the_deadline_although_a_cancellation_is_lost() -> None:
    cancelled: "list[bool]" = []

    async def call() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await _before(Deadline(0.05), lose_one(cancelled))

    asyncio.run(call())
    assert cancelled == [True]
