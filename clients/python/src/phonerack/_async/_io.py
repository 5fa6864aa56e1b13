"""Network and time of the async client. `_sync/_io.py` is the same for the sync client, written by hand."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Coroutine, Mapping, TypeVar

import httpx

from .._answers import Answer, error_of, unexpected
from .._config import Config, Message
from .._deadline import Deadline, timed_out
from .._network import connection_failed, no_auth
from .._results import Source

T = TypeVar("T")

# Seconds without a byte after which a stream counts as lost: the service sends a comment every 15 seconds.
SILENCE = 45.0

# Seconds for the end of a cancelled request, which closes its connection.
CANCEL_AGAIN = 0.5


def new_client(config: Config) -> httpx.AsyncClient:
    # A proxy of the environment would see the key of a plain http connection.
    return httpx.AsyncClient(trust_env=not config.is_loopback, timeout=None)


async def sleep(seconds: float) -> None:
    await asyncio.sleep(seconds)


async def send_once(client: httpx.AsyncClient, message: Message, deadline: Deadline) -> Answer:
    """Raises PhonerackConnectionError without an answer."""
    request = client.build_request(
        message.method, message.url, headers=message.headers, content=message.body, timeout=None
    )
    return await _answer(client, request, deadline, is_read=message.is_read)


async def stream(client: httpx.AsyncClient, message: Message) -> AsyncGenerator[bytes, None]:
    """The chunks of a stream of events. The first chunk is empty, and means that the stream is open.

    Raises PhonerackError, also when no byte arrives for `SILENCE` seconds.
    """
    request = client.build_request(
        message.method, message.url, headers=message.headers, timeout=httpx.Timeout(SILENCE)
    )
    try:
        response = await client.send(request, auth=no_auth, follow_redirects=False, stream=True)
        try:
            request_id = response.headers.get("x-request-id")
            if not response.is_success:
                body = await response.aread()
                raise error_of(Answer(response.status_code, body, None, request_id), is_read=True)
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                form = "a body that is not a stream of events"
                raise unexpected(response.status_code, form, is_read=True, request_id=request_id)
            yield b""
            async for chunk in response.aiter_bytes():
                yield chunk
        finally:
            await response.aclose()
    except httpx.TimeoutException:
        raise timed_out(is_read=True) from None
    except httpx.RequestError as error:
        raise connection_failed(request, error, is_read=True) from error


async def send_file(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    headers: Mapping[str, str],
    source: Source,
    deadline: Deadline,
    on_sent: Callable[[int], None],
) -> Answer:
    """Sends a file without the API key. `on_sent` gets the number of bytes sent so far."""

    async def parts() -> AsyncIterator[bytes]:
        sent = 0
        reader = source.parts()
        loop = asyncio.get_running_loop()
        while True:
            part = await loop.run_in_executor(None, lambda: next(reader, None))
            if part is None:
                return
            yield part
            sent += len(part)
            on_sent(sent)

    request = client.build_request(
        method,
        url,
        headers={**headers, "content-length": str(source.size)},
        content=parts(),
        timeout=None,
    )
    # An upload that was not completed changes nothing.
    return await _answer(client, request, deadline, is_read=True)


async def _answer(
    client: httpx.AsyncClient, request: httpx.Request, deadline: Deadline, *, is_read: bool
) -> Answer:
    async def sent() -> Answer:
        # A redirect would send the key to another server.
        response = await client.send(request, auth=no_auth, follow_redirects=False)
        return Answer(
            response.status_code,
            response.content,
            response.headers.get("retry-after"),
            response.headers.get("x-request-id"),
            response.headers,
        )

    try:
        return await _before(deadline, sent())
    except asyncio.TimeoutError:
        raise timed_out(is_read=is_read) from None
    except httpx.RequestError as error:
        raise connection_failed(request, error, is_read=is_read) from error


async def _before(deadline: Deadline, work: Coroutine[Any, Any, T]) -> T:
    """A task with the work, since `asyncio.wait_for` loses some timeouts with the anyio 3 of older installations."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait([task], timeout=deadline.left())
    finally:
        is_late = not task.done()
        while not task.done():
            # anyio 3 loses a cancellation that arrives while a connection is opened.
            task.cancel()
            await asyncio.wait([task], timeout=CANCEL_AGAIN)
    # Reads the exception, which asyncio reports otherwise.
    if is_late and (task.cancelled() or task.exception() is not None):
        raise asyncio.TimeoutError
    return task.result()
