"""The entry of the SDK."""

from __future__ import annotations

from types import TracebackType
from typing import Any, AsyncGenerator, Callable, Dict, Mapping, Optional, Type, cast

import httpx

from .._config import config_of
from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .._request import Request
from ..errors import PhonerackError
from .apps import AsyncApps
from .connection import AsyncConnection
from .events import follow
from .pages import AsyncPages
from .phones import AsyncPhones
from .webhooks import AsyncWebhooks


class AsyncPhonerack:
    """A client of one installation. Close it with `aclose()`, or use it in `async with`."""

    def __init__(
        self,
        *,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        max_retries: int = 3,
        on_retry: Optional[Callable[[PhonerackError, float], None]] = None,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        """Raises ValueError without a key or base URL, and for a key that would go unencrypted to another machine.

        `api_key` and `base_url`: default: the environment variables `PHONERACK_API_KEY` and `PHONERACK_BASE_URL`.
        `max_retries`: the maximum number of repeats of a call that is safe to repeat.
        `on_retry`: called before each repeat, with the error of the attempt before and the seconds until the next one.
        `http_client`: for proxies and certificates; the SDK does not close it.
        """
        config = config_of(api_key, base_url, max_retries)
        # The origin of the service.
        self.base_url = config.origin
        self._connection = AsyncConnection(config, http_client)
        self._connection.on_retry = on_retry
        self.phones = AsyncPhones(self._connection)
        self.apps = AsyncApps(self._connection)
        self.webhooks = AsyncWebhooks(self._connection)

    async def account(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.Account:
        """Credit, limits and prices of the project."""
        return await self._connection.send(operations.get_account(), Deadline(REQUEST, timeout, deadline))

    def events(
        self,
        *,
        type: Optional[str] = None,
        phone: Optional[str] = None,
        last_event_id: Optional[str] = None,
        on_retry: Optional[Callable[[Optional[PhonerackError]], None]] = None,
    ) -> AsyncGenerator[Dict[str, Any], None]:
        """Follows events from now on, until the loop ends. Reconnects automatically, and continues after the last event.

        An event may arrive twice. An event of the type `gap` means that events after its `last_event_id` have expired.
        `type`: only events of this type, such as `phone.ready`. `phone`: only events of the phone with this ID.
        `last_event_id`: the ID of the last event that was processed, from an earlier run.
        `on_retry`: called before the SDK connects again, with the error that ended the connection; None: the service
        ended the stream.
        Raises PhonerackError when the API refuses the request, such as for a revoked key, and when the first connection
        cannot be made, after as many repeats as for other calls.
        """
        return follow(
            self._connection, type=type, phone=phone, last_event_id=last_event_id, on_retry=on_retry
        )

    def past_events(
        self,
        *,
        type: Optional[str] = None,
        phone: Optional[str] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPages[models.Event]:
        """Past events, newest first, as long as they are kept.

        `type`: only events of this type, such as `phone.ready`. `phone`: only events of the phone with this ID.
        """

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            # The API refuses types that it does not know.
            request = operations.list_events(type=cast(Any, type), phone=phone, cursor=cursor, limit=limit)
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        def same(event: models.Event) -> models.Event:
            return event

        return AsyncPages(read, same)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Optional[Mapping[str, Any]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> Any:
        """Sends a request that this release has no method for. `path`: such as `/v1/account`, with its query."""
        request: Request[Any] = Request(method.upper(), path, json=body)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def aclose(self) -> None:
        """Closes its connections. Phones keep running."""
        await self._connection.aclose()

    async def __aenter__(self) -> AsyncPhonerack:
        return self

    async def __aexit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.aclose()
