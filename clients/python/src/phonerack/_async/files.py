"""Files in the shared storage of a phone."""

from __future__ import annotations

from typing import List, Optional, Union

from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .connection import AsyncConnection


class AsyncFiles:
    def __init__(self, connection: AsyncConnection, phone_id: str) -> None:
        self._connection = connection
        self._phone_id = phone_id

    async def list(
        self,
        folder: Optional[str] = None,
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> List[models.ListFilesAnswerDataItem]:
        """`folder`: default: the root of the shared storage."""
        request = operations.list_files(self._phone_id, path=folder)
        return (await self._connection.send(request, Deadline(REQUEST, timeout, deadline)))["data"]

    async def read(
        self, file: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> bytes:
        """At most 4,000,000 bytes."""
        return await self._connection.send(
            operations.read_file(self._phone_id, path=file), Deadline(REQUEST, timeout, deadline)
        )

    async def write(
        self,
        file: str,
        content: Union[bytes, str],
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.WriteFileAnswer:
        """At most 4,000,000 bytes. Text is written as UTF-8."""
        data = content.encode() if isinstance(content, str) else content
        request = operations.write_file(self._phone_id, path=file, content=data)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def delete(
        self, file: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._connection.send(
            operations.delete_file(self._phone_id, path=file), Deadline(REQUEST, timeout, deadline)
        )
