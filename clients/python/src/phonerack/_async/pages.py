"""Lists of the API as iterators: `async for phone in phonerack.phones.list(): …`."""

from __future__ import annotations

from typing import Any, AsyncIterator, Awaitable, Callable, Generic, List, Mapping, Optional, TypeVar

from .._results import Page

T = TypeVar("T")


def same(row: Any) -> Any:
    """Converts nothing: the rows of the list are the results."""
    return row


class AsyncPages(Generic[T]):
    """A list that reads the next page only when it is needed."""

    def __init__(
        self,
        read: Callable[[Optional[str], Optional[int]], Awaitable[Mapping[str, Any]]],
        convert: Callable[[Any], T],
    ) -> None:
        self._read = read
        self._convert = convert

    async def __aiter__(self) -> AsyncIterator[T]:
        cursor: Optional[str] = None
        while True:
            page = await self._read(cursor, None)
            for row in page["data"]:
                yield self._convert(row)
            cursor = page["next_cursor"]
            if cursor is None:
                return

    async def page(self, *, cursor: Optional[str] = None, limit: Optional[int] = None) -> Page[T]:
        """One page. `cursor`: `next_cursor` of the page before. `limit`: maximum rows, where the list takes it."""
        page = await self._read(cursor, limit)
        return Page([self._convert(row) for row in page["data"]], page["next_cursor"])

    async def to_list(self, most: Optional[int] = None) -> List[T]:
        """`most`: the maximum number of rows. Default: all."""
        found: List[T] = []
        if most == 0:
            return found
        async for each in self:
            found.append(each)
            if len(found) == most:
                break
        return found
