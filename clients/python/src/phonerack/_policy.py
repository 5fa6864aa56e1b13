"""Decides which requests are repeated, and when. Shared by the sync and the async client.

Repeated: reads, and requests with an `Idempotency-Key`, after a failed connection, 429, 502 to 504 and retryable
errors. Other requests only after 429 and 503 with `Retry-After`, whose answer says that nothing was done.
`capacity_unavailable` is repeated only for as long as the caller wants to wait for a phone.
"""

from __future__ import annotations

import re
from typing import Optional

from .errors import PhonerackError

# Seconds: the first pause before a repeat, which doubles each time, and the longest pause.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
# The longest `Retry-After`, in seconds, that the SDK waits for. For a longer time, it raises the error.
LONGEST_RETRY_AFTER = 60.0
# Seconds: the longest pause before a stream is opened again.
LONGEST_STREAM_PAUSE = 15.0
# Seconds after which a stream counts as successful, even without an event.
LONG_STREAM = 30.0


def pause_before_repeat(
    error: PhonerackError, retry_after: Optional[str], *, is_safe: bool, attempt: int, random: float
) -> Optional[float]:
    """Seconds until the next attempt; None: no repeat. `attempt` counts from 0, `random` is from 0 to 1."""
    status = error.status
    wait = seconds_of(retry_after)
    is_refused = status in (429, 503) and wait is not None
    is_temporary = status is None or status == 429 or 502 <= status <= 504 or error.retryable
    # A repeat of a failed create returns the same failure.
    if "phone" in error.details and not error.retryable:
        return None
    if not (is_temporary if is_safe else is_refused):
        return None
    if wait is not None:
        return None if wait > LONGEST_RETRY_AFTER else wait * (1 + random * 0.1)
    return float(min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt)) * (0.5 + random * 0.5)


# The code of a request without a free phone.
NO_CAPACITY = "capacity_unavailable"


def pause_for_capacity(error: PhonerackError, retry_after: Optional[str], left: float) -> Optional[float]:
    """Seconds until a phone may be free; None: the caller does not wait that long, or the failure is final."""
    wait = seconds_of(retry_after)
    pause = LONGEST_PAUSE if wait is None else wait
    return None if "phone" in error.details or pause > left else pause


def is_passing(error: PhonerackError) -> bool:
    """Whether the SDK opens a stream again after this error."""
    return error.status is None or error.status == 429 or error.status >= 500 or error.retryable


def pause_before_stream(failures: int, random: float) -> float:
    """Seconds until a stream is opened again. `failures`: the number of consecutive streams without an event."""
    return float(min(LONGEST_STREAM_PAUSE, FIRST_PAUSE * 2 ** min(failures, 10))) * (0.5 + random * 0.5)


def may_be_done(error: PhonerackError, retry_after: Optional[str]) -> bool:
    """Whether a failed write may have been carried out. With `Retry-After`, 429 and 503 say that it was not."""
    status = error.status
    if status is None:
        return error.is_outcome_unknown
    is_refused = status == 503 and seconds_of(retry_after) is not None
    return status < 300 or (status >= 500 and not is_refused)


def seconds_of(retry_after: Optional[str]) -> Optional[float]:
    if retry_after is None or not re.fullmatch(r"[0-9]{1,6}", retry_after.strip()):
        return None
    return float(retry_after)
