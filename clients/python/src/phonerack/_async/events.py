"""Follows the events of a project: one stream after the other, each from where the last one ended."""

from __future__ import annotations

import json
from typing import Any, AsyncGenerator, Dict, Optional

from .._policy import is_passing, pause_before_stream
from .._request import Request
from .._sse import FrameReader
from ..errors import PhonerackError
from .connection import AsyncConnection


async def follow(
    connection: AsyncConnection,
    *,
    type: Optional[str],
    phone: Optional[str],
    last_event_id: Optional[str],
) -> AsyncGenerator[Dict[str, Any], None]:
    request: Request[bytes] = Request("GET", "/v1/events", query={"type": type, "phone": phone}, answer="bytes")
    last = last_event_id
    failures = 0
    while True:
        reader = FrameReader()
        chunks = connection.stream(request, last)
        try:
            async for chunk in chunks:
                for frame in reader.read(chunk):
                    failures = 0
                    last = last if frame.last_id is None else frame.last_id
                    if frame.data is not None:
                        yield json.loads(frame.data)
        except PhonerackError as error:
            if not is_passing(error):
                raise
        finally:
            await chunks.aclose()
        await connection.sleep(pause_before_stream(failures, connection.random()))
        failures += 1
