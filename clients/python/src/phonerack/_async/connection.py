"""Sends requests with the key and a deadline, and repeats requests that are safe to repeat.

Shared by all classes of a client.
"""

from __future__ import annotations

import random
from typing import Any, AsyncGenerator, Callable, Optional, TypeVar

import httpx

from .. import _answers
from .._config import Config, Message
from .._deadline import Deadline, timed_out
from .._policy import NO_CAPACITY, may_be_done, pause_before_repeat, pause_for_capacity
from .._request import Request
from .._results import Source
from ..errors import PhonerackError
from . import _io

T = TypeVar("T")


class AsyncConnection:
    def __init__(self, config: Config, client: Optional[httpx.AsyncClient]) -> None:
        self._config = config
        self._client = _io.new_client(config) if client is None else client
        # The caller closes a client that the caller created.
        self._is_ours = client is None
        # Replaced in tests.
        self.sleep = _io.sleep
        self.random = random.random
        # Called before each repeat, with the error of the attempt before and the seconds until the next attempt.
        self.on_retry: Optional[Callable[[PhonerackError, float], None]] = None

    @property
    def max_retries(self) -> int:
        return self._config.max_retries

    async def send(self, request: Request[T], deadline: Deadline) -> T:
        """Raises PhonerackError."""
        value, _ = await self.exchange(request, deadline)
        return value

    async def exchange(
        self, request: Request[T], deadline: Deadline, *, capacity: float = 0
    ) -> "tuple[T, _answers.Answer]":
        """The value of the answer, and the answer. `capacity`: seconds to wait for a free phone. Raises PhonerackError."""
        message = self._config.message(request)
        attempt = 0
        is_unknown = False
        while True:
            answer: Optional[_answers.Answer] = None
            try:
                if deadline.left() <= 0:
                    # Nothing is sent.
                    raise timed_out(is_read=True)
                answer = await _io.send_once(self._client, message, deadline)
                if answer.is_success:
                    return _answers.value_of(request, answer), answer
                raise _answers.error_of(answer, is_read=message.is_read)
            except PhonerackError as error:
                retry_after = None if answer is None else answer.retry_after
                # An earlier attempt may have been carried out, even if the last attempt never arrived or was refused.
                is_unknown = is_unknown or (not message.is_read and may_be_done(error, retry_after))
                is_full = error.code == NO_CAPACITY
                pause = (
                    pause_for_capacity(error, retry_after, capacity)
                    if is_full
                    else self._pause(error, retry_after, message, attempt)
                )
                if pause is None or pause >= deadline.left():
                    if not is_unknown:
                        raise
                    raise _answers.after_unknown(error, request.idempotency_key) from error.__cause__
                if self.on_retry is not None:
                    self.on_retry(error, pause)
            await self.sleep(pause)
            if is_full:
                capacity -= pause
            else:
                attempt += 1

    def _pause(
        self, error: PhonerackError, retry_after: Optional[str], message: Message, attempt: int
    ) -> Optional[float]:
        if attempt >= self._config.max_retries:
            return None
        return pause_before_repeat(
            error,
            retry_after,
            is_safe=message.is_safe,
            attempt=attempt,
            random=self.random(),
        )

    async def stream(self, request: Request[Any], last_event_id: Optional[str]) -> AsyncGenerator[bytes, None]:
        """The chunks of a stream of events, which is opened once. The first chunk is empty. Raises PhonerackError."""
        message = self._config.message(request)
        message.headers["accept"] = "text/event-stream"
        if last_event_id is not None:
            message.headers["last-event-id"] = last_event_id
        chunks = _io.stream(self._client, message)
        try:
            async for chunk in chunks:
                yield chunk
        finally:
            # Closes the connection when the caller has left.
            await chunks.aclose()

    async def send_file(
        self,
        method: str,
        url: str,
        headers: "dict[str, str]",
        source: Source,
        deadline: Deadline,
        on_sent: Callable[[int], None],
    ) -> _answers.Answer:
        """Sends a file to an upload URL, which gets no API key. Not repeated: the URL takes one file."""
        answer = await _io.send_file(self._client, method, url, headers, source, deadline, on_sent)
        if not answer.is_success:
            raise _answers.error_of(answer, is_read=True)
        return answer

    async def pause(self, seconds: float, deadline: Deadline) -> None:
        """Raises PhonerackConnectionError when the deadline of the call passes first."""
        left = deadline.left()
        await self.sleep(min(seconds, left))
        if seconds >= left:
            raise timed_out(is_read=True)

    async def aclose(self) -> None:
        if self._is_ours:
            await self._client.aclose()
