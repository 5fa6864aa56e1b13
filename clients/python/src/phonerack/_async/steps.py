"""The steps of a phone, their pictures, and exports of a session."""

from __future__ import annotations

from typing import Any, Literal, Mapping, Optional

from .._deadline import ACTIONS, REQUEST, Deadline
from .._generated import models, operations
from .connection import AsyncConnection
from .pages import AsyncPages, same


class AsyncSteps:
    def __init__(self, connection: AsyncConnection, phone_id: str) -> None:
        self._connection = connection
        self._phone_id = phone_id

    def list(
        self,
        *,
        session: Optional[str] = None,
        observations: Optional[Literal["full", "text", "none"]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPages[models.Step]:
        """Newest first. Works in every status of the phone.

        `session`: only steps of this session. `observations`: how much of the screens; default: `full`.
        """

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.list_steps(
                self._phone_id, session=session, observations=observations, cursor=cursor, limit=limit
            )
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        return AsyncPages(read, same)

    async def get(
        self,
        id: str,
        *,
        observations: Optional[Literal["full", "text", "none"]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.Step:
        """`observations`: how much of the screens; default: `full`."""
        request = operations.get_step(self._phone_id, id, observations=observations)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def screenshot(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> bytes:
        """The picture of a step whose `picture` is not None."""
        request = operations.read_step_picture(self._phone_id, id)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def export(
        self,
        format: Literal["html", "jsonl", "ts", "python"],
        *,
        session: Optional[str] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> bytes:
        """A session as one file: a replay, data, or a program of the SDK.

        `session`: default: the last one that has steps.
        """
        request = operations.export_steps(self._phone_id, format=format, session=session)
        return await self._connection.send(request, Deadline(ACTIONS, timeout, deadline))
