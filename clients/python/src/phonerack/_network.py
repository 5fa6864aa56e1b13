"""Parts of sending that the sync and the async client share."""

from __future__ import annotations

import httpx

from .errors import PhonerackConnectionError


def no_auth(request: httpx.Request) -> httpx.Request:
    """Keeps httpx from adding credentials of `.netrc` or of the client."""
    return request


def connection_failed(
    request: httpx.Request, error: httpx.RequestError, *, is_read: bool
) -> PhonerackConnectionError:
    # Without a connection, nothing was sent.
    was_sent = not isinstance(error, (httpx.ConnectError, httpx.UnsupportedProtocol))
    reason = f": {error}" if str(error) else ""
    return PhonerackConnectionError(
        f"No answer from {request.url.scheme}://{request.url.netloc.decode('ascii')}{reason}.",
        code="connection_failed",
        is_outcome_unknown=was_sent and not is_read,
    )
