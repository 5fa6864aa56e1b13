"""A video of a phone's screen."""

from __future__ import annotations

from types import TracebackType
from typing import Optional, Type

from .._deadline import REQUEST, VIDEO, Deadline
from .._generated import models, operations
from .._results import recorded
from .connection import AsyncConnection

# Seconds between two reads.
PAUSE = 1.0


class AsyncRecording:
    """`with phone.record() as recording:` stops it at the end of the block."""

    def __init__(self, connection: AsyncConnection, phone_id: str, data: models.Recording) -> None:
        self._connection = connection
        self._phone_id = phone_id
        # From the last answer.
        self.data = data
        self.id = data["id"]

    async def stop(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncRecording:
        """Ends the recording. The video is made afterwards: `video()` waits for it."""
        request = operations.stop_recording(self._phone_id, self.id)
        self.data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return self

    async def ready(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncRecording:
        """Waits until the video is made. Raises PhonerackError when it failed."""
        await self._until_ready(Deadline(VIDEO, timeout, deadline))
        return self

    async def video(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> bytes:
        """The MP4 file. Waits until it is made."""
        until = Deadline(VIDEO, timeout, deadline)
        await self._until_ready(until)
        return await self._connection.send(operations.read_recording(self._phone_id, self.id), until)

    async def _until_ready(self, deadline: Deadline) -> None:
        while True:
            listed = await self._connection.send(operations.list_recordings(self._phone_id), deadline)
            self.data = recorded(listed, self.id)
            if self.data["status"] == "ready":
                return
            await self._connection.pause(PAUSE, deadline)

    async def delete(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> None:
        request = operations.delete_recording(self._phone_id, self.id)
        await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def __aenter__(self) -> AsyncRecording:
        return self

    async def __aexit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        await self.stop()
