"""Follows the events of a project by consecutive streams, each of which continues after the stream before."""

from __future__ import annotations

import re
import time
from typing import Any, AsyncGenerator, Callable, Dict, Optional, cast

from .._answers import event_of
from .._generated import operations
from .._policy import LONG_STREAM, is_passing, pause_before_stream
from .._sse import FrameReader
from ..errors import PhonerackError
from .connection import AsyncConnection


async def follow(
    connection: AsyncConnection,
    *,
    type: Optional[str],
    phone: Optional[str],
    last_event_id: Optional[str],
    on_retry: Optional[Callable[[Optional[PhonerackError]], None]],
) -> AsyncGenerator[Dict[str, Any], None]:
    # The API refuses types that it does not know.
    request = operations.list_events(type=cast(Any, type), phone=phone)
    if last_event_id is not None and re.search(r"[^\x21-\x7e]", last_event_id):
        raise ValueError(f"{last_event_id!r} is not the ID of an event.")
    last = last_event_id
    failures = 0
    has_opened = False
    while True:
        reader = FrameReader()
        chunks = connection.stream(request, last)
        opened_at: Optional[float] = None
        broken: Optional[PhonerackError] = None
        try:
            async for chunk in chunks:
                if opened_at is None:
                    has_opened = True
                    opened_at = time.monotonic()
                for frame in reader.read(chunk):
                    last = last if frame.last_id is None else frame.last_id
                    if frame.data is not None:
                        failures = 0
                        yield event_of(frame.data)
        except PhonerackError as error:
            if not is_passing(error) or (not has_opened and failures >= connection.max_retries):
                raise
            broken = error
        finally:
            await chunks.aclose()
        if opened_at is not None and time.monotonic() - opened_at >= LONG_STREAM:
            failures = 0
        if on_retry is not None:
            on_retry(broken)
        await connection.sleep(pause_before_stream(failures, connection.random()))
        failures += 1
