"""Gets a first key for a program in a terminal. A person confirms a short code in the browser."""

from __future__ import annotations

from types import TracebackType
from typing import Optional, Type, cast

import httpx

from .._config import Config, safe_origin
from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .._results import ReceivedKey
from ..errors import PhonerackConnectionError, PhonerackError
from .connection import AsyncConnection


def _seconds(value: object, default: float, most: float) -> float:
    """Seconds of an answer, at most `most`. The default: the number is missing or negative."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return min(most, cast(float, value)) if is_number and cast(float, value) >= 0 else default


class AsyncSetup:
    """`setup = await AsyncSetup.start()`. Show `url` and `user_code` to the person, then call `key()`."""

    def __init__(self, connection: AsyncConnection, data: models.CreateSetupAnswer) -> None:
        self._connection = connection
        self._data = data
        # The person compares this code with the code on the page.
        self.user_code = data["user_code"]
        # The page for the person.
        self.url = data["verification_url"]

    @classmethod
    async def start(
        cls,
        *,
        base_url: Optional[str] = None,
        client: Optional[str] = None,
        http_client: Optional[httpx.AsyncClient] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncSetup:
        """`base_url`: default: `PHONERACK_BASE_URL`. `client`: the name of the key, up to 60 printable characters."""
        connection = AsyncConnection(Config(None, safe_origin(base_url), 3), http_client)
        request = operations.create_setup(body={} if client is None else {"client": client})
        return cls(connection, await connection.send(request, Deadline(REQUEST, timeout, deadline)))

    async def key(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> ReceivedKey:
        """Waits for the person. Raises PhonerackError, such as `setup_denied` or `setup_expired`."""
        until = Deadline(_seconds(self._data.get("expires_in"), 900, 3600) + 60, timeout, deadline)
        while True:
            answer = await self._poll(until)
            if answer is not None and "api_key" in answer:
                return ReceivedKey(answer["api_key"], answer.get("project", ""))
            await self._connection.pause(max(0.1, _seconds(self._data.get("interval"), 5, 60)), until)

    async def _poll(self, deadline: Deadline) -> Optional[models.CollectSetupAnswer]:
        """None: no answer. Another poll is safe: if the answer with the key was lost, it fails with `setup_used`."""
        request = operations.collect_setup(body={"setup_token": self._data["setup_token"]})
        try:
            return await self._connection.send(request, deadline)
        except PhonerackError as error:
            if deadline.left() <= 0 or not (isinstance(error, PhonerackConnectionError) or error.retryable):
                raise
            return None

    async def aclose(self) -> None:
        await self._connection.aclose()

    async def __aenter__(self) -> AsyncSetup:
        return self

    async def __aexit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.aclose()
