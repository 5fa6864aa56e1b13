"""Network and time of the sync client. `_async/_io.py` is the same for the async client, written by hand."""

from __future__ import annotations

import time
from typing import Any, Callable, Generator, Iterator, Mapping

import httpx

from .._answers import Answer, error_of, unexpected
from .._config import Config, Message
from .._deadline import Deadline, timed_out
from .._network import connection_failed, no_auth
from .._results import Source

# Seconds without a byte after which a stream counts as lost: the service sends a comment every 15 seconds.
SILENCE = 45.0


def new_client(config: Config) -> httpx.Client:
    # A proxy of the environment would see the key of a plain http connection.
    return httpx.Client(trust_env=not config.is_loopback, timeout=None)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def send_once(client: httpx.Client, message: Message, deadline: Deadline) -> Answer:
    """Raises PhonerackConnectionError without an answer."""
    request = client.build_request(
        message.method, message.url, headers=message.headers, content=message.body, timeout=_left(deadline)
    )
    return _answer(client, request, deadline, is_read=message.is_read)


def stream(client: httpx.Client, message: Message) -> Generator[bytes, None, None]:
    """The chunks of a stream of events. The first chunk is empty, and means that the stream is open.

    Raises PhonerackError, also when no byte arrives for `SILENCE` seconds.
    """
    request = client.build_request(
        message.method, message.url, headers=message.headers, timeout=httpx.Timeout(SILENCE)
    )
    try:
        response = client.send(request, auth=no_auth, follow_redirects=False, stream=True)
        try:
            request_id = response.headers.get("x-request-id")
            if not response.is_success:
                body = response.read()
                raise error_of(Answer(response.status_code, body, None, request_id), is_read=True)
            if not response.headers.get("content-type", "").startswith("text/event-stream"):
                form = "a body that is not a stream of events"
                raise unexpected(response.status_code, form, is_read=True, request_id=request_id)
            yield b""
            for chunk in response.iter_bytes():
                yield chunk
        finally:
            response.close()
    except httpx.TimeoutException:
        raise timed_out(is_read=True) from None
    except httpx.RequestError as error:
        raise connection_failed(request, error, is_read=True) from error


def send_file(
    client: httpx.Client,
    method: str,
    url: str,
    headers: Mapping[str, str],
    source: Source,
    deadline: Deadline,
    on_sent: Callable[[int], None],
) -> Answer:
    """Sends a file without the API key. `on_sent` gets the number of bytes sent so far."""

    def parts() -> Iterator[bytes]:
        sent = 0
        for part in source.parts():
            _check(deadline, is_read=True)
            yield part
            sent += len(part)
            on_sent(sent)

    request = client.build_request(
        method,
        url,
        headers={**headers, "content-length": str(source.size)},
        content=parts(),
        timeout=_left(deadline),
    )
    # An upload that was not completed changes nothing.
    return _answer(client, request, deadline, is_read=True)


def _answer(client: httpx.Client, request: httpx.Request, deadline: Deadline, *, is_read: bool) -> Answer:
    _check(deadline, is_read=is_read)
    try:
        # A redirect would send the key to another server.
        response = client.send(request, auth=no_auth, follow_redirects=False, stream=True)
        try:
            # The timeout of httpx limits each read, so an answer in many parts could take longer.
            extensions: Any = request.extensions
            extensions["timeout"] = _left(deadline).as_dict()
            body = bytearray()
            for part in response.iter_bytes():
                body += part
                _check(deadline, is_read=is_read)
        finally:
            response.close()
        return Answer(
            response.status_code,
            bytes(body),
            response.headers.get("retry-after"),
            response.headers.get("x-request-id"),
            response.headers,
        )
    except (httpx.ConnectTimeout, httpx.PoolTimeout):
        # Nothing was sent.
        raise timed_out(is_read=True) from None
    except httpx.TimeoutException:
        raise timed_out(is_read=is_read) from None
    except httpx.RequestError as error:
        raise connection_failed(request, error, is_read=is_read) from error


def _left(deadline: Deadline) -> httpx.Timeout:
    return httpx.Timeout(max(0.001, deadline.left()))


def _check(deadline: Deadline, *, is_read: bool) -> None:
    if deadline.left() <= 0:
        raise timed_out(is_read=is_read)
