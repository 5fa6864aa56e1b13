"""The transport: repeats, errors and deadlines."""

from __future__ import annotations

import time
from typing import List

import httpx
import pytest

from phonerack import (
    ApiError,
    AsyncPhone,
    ConflictError,
    PhonerackConnectionError,
    PhonerackError,
    RateLimitError,
    home,
)

from ..server import CUT, PHONE, Reply, Seen, Server, phone, refusal
from .client import connect


async def test_repeats_a_read_with_growing_pauses_and_the_key_each_time(server: Server) -> None:
    server.replies = [
        CUT,
        refusal(503, "phone_unavailable", retryable=True, headers={"retry-after": "2"}),
        refusal(500, "internal_error", retryable=True),
    ]
    waits: List[float] = []
    async with connect(server, waits) as client:
        assert (await client.phones.get(PHONE)).status == "ready"
    assert [each.headers["authorization"] for each in server.seen] == ["Bearer prk_test"] * 4
    assert waits == [0.25, 2.0, 1.0]


async def test_repeats_a_create_with_the_same_idempotency_key(server: Server) -> None:
    server.replies = [CUT, CUT]
    async with connect(server) as client:
        await client.phones.create(name="one")
        await client.phones.create(name="two", idempotency_key="mine-123")
    keys = [each.headers["idempotency-key"] for each in server.seen]
    assert len(set(keys[:3])) == 1 and len(keys[0]) == 36
    assert keys[3] == "mine-123"


async def test_names_the_key_of_a_create_whose_outcome_is_unknown(server: Server) -> None:
    server.answer = lambda seen: CUT
    async with connect(server, max_retries=1) as client:
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.phones.create()
    assert len(server.seen) == 2
    assert caught.value.is_outcome_unknown is True
    assert caught.value.details["idempotency_key"] == server.seen[0].headers["idempotency-key"]
    assert server.seen[0].headers["idempotency-key"] in str(caught.value)


@pytest.mark.parametrize(
    "reply",
    [
        CUT,
        refusal(502, "action_outcome_unknown"),
        refusal(504, "provider_timeout", retryable=True),
        Reply(502, b"<h1>Bad gateway</h1>"),
        Reply(503, b"<h1>Unavailable</h1>"),
        Reply(200, b"not JSON"),
    ],
)
async def test_sends_an_action_once_when_its_outcome_is_unknown(server: Server, reply: Reply) -> None:
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [reply]
        with pytest.raises(PhonerackError) as caught:
            await one.act([home()])
    assert server.lines[1:] == [f"POST /v1/phones/{PHONE}/actions"]
    if reply.is_cut:
        assert isinstance(caught.value, PhonerackConnectionError) and caught.value.is_outcome_unknown
        assert caught.value.retryable is False
    elif isinstance(reply.body, bytes):
        assert caught.value.code == "unexpected_answer" and caught.value.retryable is False
        assert "may have been carried out" in (caught.value.next or "")


async def test_sends_a_start_once_when_its_outcome_is_unknown(server: Server) -> None:
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [CUT]
        with pytest.raises(PhonerackConnectionError) as caught:
            await one.start()
    assert caught.value.is_outcome_unknown is True
    assert len(server.seen) == 2


async def test_repeats_an_action_that_was_refused_before_it_ran(server: Server) -> None:
    limited = refusal(429, "rate_limited", type="rate_limit_error", headers={"retry-after": "1"})
    waits: List[float] = []
    async with connect(server, waits) as client:
        one = await client.phones.get(PHONE)
        server.replies = [limited, Reply(200, {"results": [], "completed": 0})]
        await one.home()
        assert waits == [1.0]
        server.replies = [limited] * 4
        with pytest.raises(RateLimitError):
            await one.home()
        server.replies = [refusal(429, "rate_limited", headers={"retry-after": "3600"})]
        with pytest.raises(ConflictError):
            await client.phones.get(PHONE)
        server.replies = [refusal(503, "service_paused", retryable=True)]
        with pytest.raises(PhonerackError, match="service_paused"):
            await one.home()
    assert len(server.seen) == 1 + 2 + 4 + 1 + 1


async def test_raises_a_refusal_with_all_its_fields_once(server: Server) -> None:
    server.replies = [
        refusal(409, "phone_not_running", next="Start the phone.", details={"status": "parked"})
    ]
    async with connect(server) as client:
        with pytest.raises(ConflictError) as caught:
            await client.phones.get(PHONE)
    error = caught.value
    assert (error.code, error.type, error.status) == ("phone_not_running", "conflict_error", 409)
    assert (error.message, error.next) == ("It is phone_not_running.", "Start the phone.")
    assert str(error) == "It is phone_not_running. Start the phone."
    assert (error.retryable, error.details) == (False, {"status": "parked"})
    assert error.request_id == "req_aaaaaaaaaaaa"
    assert len(server.seen) == 1


async def test_reads_an_unknown_family_and_an_unknown_status(server: Server) -> None:
    server.replies = [refusal(418, "new_code", type="new_error")]
    async with connect(server) as client:
        with pytest.raises(PhonerackError) as caught:
            await client.phones.get(PHONE)
        server.replies = [Reply(200, phone("hibernating"))]
        assert (await client.phones.get(PHONE)).status == "hibernating"
    assert type(caught.value) is PhonerackError


async def test_names_an_answer_that_does_not_come_from_the_api(server: Server) -> None:
    server.replies = [Reply(403, b"<h1>Proxy</h1>")]
    async with connect(server) as client:
        with pytest.raises(ApiError) as caught:
            await client.phones.get(PHONE)
    assert (caught.value.code, caught.value.status) == ("unexpected_answer", 403)


async def test_follows_no_redirect_even_with_a_client_that_does(server: Server, other: Server) -> None:
    async with httpx.AsyncClient(follow_redirects=True) as http_client:
        client = connect(server, http_client=http_client)
        for status in (301, 302, 307, 308):
            server.replies = [Reply(status, None, {"location": f"{other.url}/v1/phones/{PHONE}"})]
            with pytest.raises(ApiError) as caught:
                await client.phones.get(PHONE)
            assert (caught.value.code, caught.value.status) == ("unexpected_answer", status)
        await client.aclose()
        assert not http_client.is_closed
    assert other.seen == []


async def test_ends_at_its_timeout(server: Server) -> None:
    server.answer = lambda seen: Reply(200, phone("ready"), delay=30)
    async with connect(server) as client:
        started = time.monotonic()
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.phones.get(PHONE, timeout=0.3)
        assert time.monotonic() - started < 3
        assert (caught.value.code, caught.value.is_outcome_unknown) == ("timeout", False)
        one = AsyncPhone(client._connection, phone("ready"))  # type: ignore[arg-type]
        with pytest.raises(PhonerackConnectionError) as unknown:
            await one.act([home()], timeout=0.3)
    assert (unknown.value.code, unknown.value.is_outcome_unknown) == ("timeout", True)
    assert len(server.seen) == 2


async def test_ends_at_its_timeout_while_an_answer_drips(server: Server) -> None:
    server.answer = lambda seen: Reply(200, phone("ready"), drip=0.1)
    async with connect(server) as client:
        started = time.monotonic()
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.phones.get(PHONE, timeout=0.5)
    assert caught.value.code == "timeout"
    assert time.monotonic() - started < 3


async def test_raises_the_error_when_the_pause_is_longer_than_the_timeout(server: Server) -> None:
    server.answer = lambda seen: refusal(429, "rate_limited", headers={"retry-after": "30"})
    async with connect(server) as client:
        with pytest.raises(PhonerackError, match="rate_limited"):
            await client.phones.get(PHONE, timeout=5)
    assert len(server.seen) == 1


async def test_knows_that_nothing_was_sent_without_a_connection(server: Server) -> None:
    server.close()
    async with connect(server) as client:
        one = AsyncPhone(client._connection, phone("ready"))  # type: ignore[arg-type]
        with pytest.raises(PhonerackConnectionError) as caught:
            await one.home()
    assert (caught.value.code, caught.value.is_outcome_unknown) == ("connection_failed", False)
    assert server.url in str(caught.value)


async def test_remembers_that_an_earlier_attempt_may_have_created(server: Server) -> None:
    def answer(seen: Seen) -> Reply:
        server.close()
        return CUT

    server.answer = answer
    async with connect(server) as client:
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.phones.create()
    # The last attempts never arrived, but the first one did.
    assert len(server.seen) == 1
    assert (caught.value.is_outcome_unknown, caught.value.retryable) == (True, False)
    assert "idempotency_key" in caught.value.details


@pytest.mark.parametrize("status", [500, 502, 503, 504])
async def test_says_that_a_phone_may_exist_when_a_proxy_answers_a_create_with_5xx(server: Server, status: int) -> None:
    server.answer = lambda seen: Reply(status, b"<h1>Bad gateway</h1>")
    async with connect(server) as client:
        with pytest.raises(ApiError) as caught:
            await client.phones.create()
    error = caught.value
    assert (error.code, error.status) == ("unexpected_answer", status)
    assert (error.is_outcome_unknown, error.retryable) == (True, False)
    key = server.seen[0].headers["idempotency-key"]
    assert error.details == {"idempotency_key": key} and key in (error.next or "")
    # The SDK itself repeats with the same key.
    assert [each.headers["idempotency-key"] for each in server.seen] == [key] * (1 if status == 500 else 4)


@pytest.mark.parametrize(
    "first", [Reply(502, b"<h1>Bad gateway</h1>"), refusal(500, "internal_error", retryable=True)]
)
async def test_remembers_the_5xx_of_an_earlier_attempt_when_the_last_one_never_arrived(
    server: Server, first: Reply
) -> None:
    def answer(seen: Seen) -> Reply:
        server.close()
        return Reply(first.status, first.body, {"connection": "close"})

    server.answer = answer
    async with connect(server) as client:
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.phones.create()
    assert len(server.seen) == 1
    assert (caught.value.is_outcome_unknown, caught.value.retryable) == (True, False)
    assert caught.value.details == {"idempotency_key": server.seen[0].headers["idempotency-key"]}


@pytest.mark.parametrize("first", [CUT, Reply(502, b"<h1>Bad gateway</h1>")])
@pytest.mark.parametrize("status", [403, 429])
async def test_remembers_an_earlier_attempt_when_a_proxy_refuses_the_last_one(
    server: Server, first: Reply, status: int
) -> None:
    async with connect(server, max_retries=1) as client:
        server.replies = [first, Reply(status, b"<h1>Denied</h1>")]
        with pytest.raises(ApiError) as caught:
            await client.phones.create(idempotency_key="mine-123")
    error = caught.value
    assert len(server.seen) == 2
    assert (error.code, error.status) == ("unexpected_answer", status)
    assert (error.is_outcome_unknown, error.retryable) == (True, False)
    assert "may have been created" in (error.next or "") and "mine-123" in (error.next or "")
    assert error.details == {"idempotency_key": "mine-123"}


async def test_names_the_key_when_the_api_refuses_a_repeat_and_not_when_it_refuses_the_first(
    server: Server,
) -> None:
    async with connect(server) as client:
        for first, has_key in ((CUT, True), (None, False)):
            refused = refusal(402, "insufficient_credits")
            server.replies = [refused] if first is None else [first, refused]
            with pytest.raises(PhonerackError) as caught:
                await client.phones.create()
            error = caught.value
            assert (error.code, error.is_outcome_unknown) == ("insufficient_credits", False)
            key = server.seen[-1].headers["idempotency-key"]
            assert error.details == ({"idempotency_key": key} if has_key else {})


async def test_knows_that_a_refused_action_was_not_carried_out(server: Server) -> None:
    def answer(seen: Seen) -> Reply:
        server.close()
        return Reply(503, b"<h1>Busy</h1>", {"retry-after": "1", "connection": "close"})

    async with connect(server) as client:
        one = AsyncPhone(client._connection, phone("ready"))  # type: ignore[arg-type]
        server.answer = answer
        with pytest.raises(PhonerackConnectionError) as caught:
            await one.home()
    assert len(server.seen) == 1
    assert (caught.value.is_outcome_unknown, caught.value.details) == (False, {})


@pytest.mark.parametrize("missing", ["type", "code", "message"])
async def test_takes_an_error_without_each_required_field_for_that_of_a_proxy(
    server: Server, missing: str
) -> None:
    for value in (None, 7):
        fields = {"type": "conflict_error", "code": "bad_gateway", "message": "It failed.", missing: value}
        server.replies = [Reply(409, {"error": {name: each for name, each in fields.items() if each is not None}})]
        async with connect(server) as client:
            with pytest.raises(ApiError) as caught:
                await client.phones.get(PHONE)
        assert (caught.value.code, caught.value.status) == ("unexpected_answer", 409)


@pytest.mark.parametrize("page", [b"<h1>Sign in</h1>", b"", b'"text"', b"[1]", b"null", b"\xff", b"[" * 100_000])
async def test_takes_a_page_of_a_proxy_for_an_unexpected_answer(server: Server, page: bytes) -> None:
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        # The service may have answered, and a proxy replaced the body.
        server.answer = lambda seen: Reply(200, page, {"x-request-id": "req_bbbbbbbbbbbb"})
        with pytest.raises(ApiError) as read:
            await one.observe()
        with pytest.raises(ApiError) as written:
            await one.home()
        with pytest.raises(ApiError) as created:
            await client.phones.create()
        with pytest.raises(ApiError) as other:
            await client.request("POST", "/v1/phones")
        assert await one.files.read("/sdcard/a") == page
    for error in (read.value, written.value, created.value, other.value):
        assert (error.code, error.status, error.retryable) == ("unexpected_answer", 200, False)
        assert error.request_id == "req_bbbbbbbbbbbb"
    assert read.value.next == "Check the base URL, and proxies in between."
    for error in (written.value, other.value):
        assert "may have been carried out" in (error.next or "")
    key = server.seen[3].headers["idempotency-key"]
    assert created.value.details == {"idempotency_key": key} and key in (created.value.next or "")
    assert len(server.seen) == 6
