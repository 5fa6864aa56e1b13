"""Log, crashes and notifications of a phone, and permissions of its apps."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, List, Literal, Mapping, Optional, Sequence, TypeVar, cast

from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .._request import Request
from .._results import given
from .connection import AsyncConnection
from .pages import AsyncPages, same

T = TypeVar("T")


class AsyncReports:
    def __init__(self, connection: AsyncConnection, phone_id: str) -> None:
        self._connection = connection
        self._phone_id = phone_id

    async def _send(self, request: Request[T], timeout: Optional[float], deadline: Optional[float]) -> T:
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    def logs(
        self,
        *,
        package: Optional[str] = None,
        level: Optional[Literal["verbose", "debug", "info", "warn", "error", "fatal"]] = None,
        since: Optional[datetime] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPages[models.LogLine]:
        """Lines of Android's log since the phone got its device, newest first.

        `package`: only lines of this app. `level`: only lines of this level and above, such as `warn`. `since`: only
        lines from this time on, by the phone's clock; a datetime without a time zone is local time.
        """
        begin = None if since is None else since.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.read_logs(
                self._phone_id,
                package=package,
                level=level,
                since=begin,
                limit=limit,
                cursor=cursor,
            )
            return await self._send(request, timeout, deadline)

        return AsyncPages(read, same)

    def crashes(
        self,
        *,
        package: Optional[str] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPages[models.Crash]:
        """Crashes and hangs of apps with their stacks, newest first. `package`: only crashes of this app."""

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.list_crashes(self._phone_id, package=package, limit=limit, cursor=cursor)
            return await self._send(request, timeout, deadline)

        return AsyncPages(read, same)

    async def notifications(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> List[models.Notification]:
        return list((await self._send(operations.list_notifications(self._phone_id), timeout, deadline))["data"])

    async def open_notification(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        """Taps a notification in the notification shade."""
        await self._send(operations.open_notification(self._phone_id, id), timeout, deadline)

    async def dismiss_notification(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        """Swipes a notification away. Raises PhonerackError `feature_unavailable` for an ongoing notification."""
        await self._send(operations.dismiss_notification(self._phone_id, id), timeout, deadline)


class AsyncPermissions:
    def __init__(self, connection: AsyncConnection, phone_id: str) -> None:
        self._connection = connection
        self._phone_id = phone_id

    async def set(
        self,
        package: str,
        *,
        grant: Sequence[str] = (),
        revoke: Sequence[str] = (),
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> List[models.SetPermissionsAnswerPermissionsItem]:
        """Grants and revokes permissions of an app, such as `android.permission.CAMERA`.

        Returns them as the phone then reports them.
        """
        body = given(grant=list(grant) or None, revoke=list(revoke) or None)
        request = operations.set_permissions(self._phone_id, package, body=cast(models.SetPermissionsBody, body))
        return (await self._connection.send(request, Deadline(REQUEST, timeout, deadline)))["permissions"]
