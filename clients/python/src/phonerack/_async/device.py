"""Settings and facts of the device that holds a phone."""

from __future__ import annotations

from typing import Optional, TypeVar, cast

from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .._request import Request
from .._results import given
from .connection import AsyncConnection

T = TypeVar("T")


class AsyncDevice:
    def __init__(self, connection: AsyncConnection, phone_id: str) -> None:
        self._connection = connection
        self._phone_id = phone_id

    async def _send(self, request: Request[T], timeout: Optional[float], deadline: Optional[float]) -> T:
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def info(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.GetDeviceAnswer:
        return await self._send(operations.get_device(self._phone_id), timeout, deadline)

    async def clipboard(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> str:
        return (await self._send(operations.get_clipboard(self._phone_id), timeout, deadline))["text"]

    async def set_clipboard(
        self, text: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._send(operations.set_clipboard(self._phone_id, body={"text": text}), timeout, deadline)

    async def location(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.GetLocationAnswer:
        return await self._send(operations.get_location(self._phone_id), timeout, deadline)

    async def set_location(
        self,
        lat: float,
        lng: float,
        *,
        timezone_from_location: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.SetLocationAnswer:
        """Degrees north and east. The time zone is set to match unless `timezone_from_location` is False."""
        body = given(lat=lat, lng=lng, timezone_from_location=timezone_from_location)
        request = operations.set_location(self._phone_id, body=cast(models.SetLocationBody, body))
        return await self._send(request, timeout, deadline)

    async def reset_location(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._send(operations.reset_location(self._phone_id), timeout, deadline)

    async def locale(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> str:
        """Such as `de-DE`."""
        return (await self._send(operations.get_locale(self._phone_id), timeout, deadline))["locale"]

    async def set_locale(
        self, locale: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._send(operations.set_locale(self._phone_id, body={"locale": locale}), timeout, deadline)

    async def timezone(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> Optional[str]:
        """Such as `Europe/Berlin`. None: the default of the phone."""
        return (await self._send(operations.get_timezone(self._phone_id), timeout, deadline))["timezone"]

    async def set_timezone(
        self, timezone: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._send(operations.set_timezone(self._phone_id, body={"timezone": timezone}), timeout, deadline)
