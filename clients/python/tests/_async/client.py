"""Clients for tests: their pauses take no time."""

from __future__ import annotations

from typing import Any, List, Optional

from phonerack import AsyncPhonerack

from ..server import Server


def connect(server: Server, waits: Optional[List[float]] = None, **options: Any) -> AsyncPhonerack:
    """`waits` gets the pauses in seconds."""
    client = AsyncPhonerack(api_key="prk_test", base_url=server.url, **options)

    async def sleep(seconds: float) -> None:
        if waits is not None:
            waits.append(seconds)

    client._connection.sleep = sleep
    client._connection.random = lambda: 0.0
    return client
