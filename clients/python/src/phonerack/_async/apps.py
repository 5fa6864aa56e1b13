"""Apps of the project: uploads, and the library of the service."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional

from .._deadline import REQUEST, UPLOAD, Deadline
from .._generated import models, operations
from .._results import AppFile, Progress
from .connection import AsyncConnection
from .pages import AsyncPages, same
from .upload import upload_file


class AsyncApps:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def upload(
        self,
        file: AppFile,
        *,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.Upload:
        """Sends an APK, a path or bytes, and waits until it can be installed. Raises PhonerackError when it cannot."""
        return await upload_file(self._connection, file, on_progress, Deadline(UPLOAD, timeout, deadline))

    async def get_upload(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.Upload:
        return await self._connection.send(operations.get_upload(id), Deadline(REQUEST, timeout, deadline))

    def uploads(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPages[models.Upload]:
        """Newest first."""

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.list_uploads(cursor=cursor, limit=limit)
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        return AsyncPages(read, same)

    async def delete_upload(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._connection.send(operations.delete_upload(id), Deadline(REQUEST, timeout, deadline))

    def library(
        self,
        query: Optional[str] = None,
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPages[models.LibraryPageDataItem]:
        """Apps that the operator offers. `query`: a part of the name or package."""

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.search_library(query=query, cursor=cursor)
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        return AsyncPages(read, same)
