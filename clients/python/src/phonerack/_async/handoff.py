"""A request to a person to do something on the phone."""

from __future__ import annotations

import datetime
from typing import Optional

from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .._results import OPEN, WAIT, still_open
from ..errors import PhonerackConnectionError
from .connection import AsyncConnection

# Seconds between two reads that returned immediately.
PAUSE = 0.5


class AsyncHandoff:
    def __init__(self, connection: AsyncConnection, phone_id: str, data: models.CreatedHandoff) -> None:
        self._connection = connection
        self._phone_id = phone_id
        # The fields from the create.
        self.data = data
        self.id = data["id"]
        # The page for the person. It works like a password.
        self.url = data["url"]

    async def get(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.Handoff:
        request = operations.get_handoff(self._phone_id, self.id)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def done(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.Handoff:
        """Waits until the person has answered, or the request has ended in another way.

        `status` is `done`, `declined` or `expired`; raises NotFoundError once it was cancelled, and PhonerackError with
        the code `handoff_open` when the deadline has passed without an answer.
        `deadline`: default: until the request expires.
        """
        expires = datetime.datetime.fromisoformat(self.data["expires_at"].replace("Z", "+00:00"))
        left = (expires - datetime.datetime.now(datetime.timezone.utc)).total_seconds()
        until = Deadline(max(0.0, left) + 60, timeout, deadline)
        status: str = "open"
        try:
            while True:
                request = operations.get_handoff(self._phone_id, self.id, wait="done", timeout=WAIT)
                now = await self._connection.send(request, until)
                if now["status"] not in OPEN:
                    return now
                status = now["status"]
                await self._connection.pause(PAUSE, until)
        except PhonerackConnectionError as error:
            if error.code != "timeout":
                raise
            raise still_open(self.data, status) from error

    async def cancel(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> None:
        """Cancels the request. The person loses control."""
        request = operations.delete_handoff(self._phone_id, self.id)
        await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
