"""The terminal setup of a first key."""

from __future__ import annotations

from typing import Dict, cast

import pytest

from phonerack import AsyncSetup, PhonerackConnectionError, PhonerackError

from ..server import CUT, Reply, Server, refusal

STARTED = Reply(
    201,
    {
        "setup_token": "prs_x",
        "user_code": "ZL7T-62DS",
        "verification_url": "https://phones.example/setup",
        "expires_in": 900,
        "interval": 0,
    },
)


async def test_collects_the_key_after_the_person_has_confirmed(server: Server) -> None:
    approved = {"status": "approved", "api_key": "prk_new", "project": "demo"}
    server.replies = [STARTED, Reply(200, {"status": "pending"}), CUT, Reply(200, approved)]
    async with await AsyncSetup.start(base_url=server.url, client="laptop") as setup:
        assert (setup.user_code, setup.url) == ("ZL7T-62DS", "https://phones.example/setup")
        received = await setup.key()
    assert (received.api_key, received.project) == ("prk_new", "demo")
    assert "prk_new" not in repr(received)
    assert server.lines == ["POST /v1/setup"] + ["POST /v1/setup/token"] * 3
    assert [each.body for each in server.seen[:2]] == [{"client": "laptop"}, {"setup_token": "prs_x"}]
    assert not any("authorization" in each.headers for each in server.seen)


@pytest.mark.parametrize("seconds", [None, -1, "5", float("nan"), 1e300])
async def test_bounds_the_times_of_the_answer(server: Server, seconds: object) -> None:
    started = {**cast(Dict[str, object], STARTED.body), "expires_in": seconds, "interval": seconds}
    server.replies = [Reply(201, started)]
    server.answer = lambda seen: Reply(200, {"status": "pending"})
    async with await AsyncSetup.start(base_url=server.url) as setup:
        with pytest.raises(PhonerackConnectionError) as caught:
            await setup.key(timeout=1)
    assert caught.value.code == "timeout"
    assert server.lines == ["POST /v1/setup", "POST /v1/setup/token"]


async def test_raises_when_the_person_declines(server: Server) -> None:
    server.replies = [STARTED, refusal(403, "setup_denied", type="permission_error")]
    async with await AsyncSetup.start(base_url=server.url) as setup:
        with pytest.raises(PhonerackError, match="setup_denied"):
            await setup.key()


async def test_refuses_an_address_that_is_not_encrypted() -> None:
    with pytest.raises(ValueError, match="not encrypted"):
        await AsyncSetup.start(base_url="http://phones.example")
