"""The time of a call with all its requests and pauses."""

from __future__ import annotations

import time
from typing import Optional

from .errors import PhonerackConnectionError

# Seconds of one request, of a batch of actions, of an upload, of an install, and until a video is made.
REQUEST, ACTIONS, UPLOAD, INSTALL, VIDEO = 130.0, 310.0, 300.0, 900.0, 600.0


class Deadline:
    def __init__(self, timeout: Optional[float], default: float) -> None:
        """`timeout`: seconds; None: the default."""
        seconds = default if timeout is None else timeout
        if seconds <= 0:
            raise ValueError(f"`timeout` must be above 0 seconds, and is {seconds}.")
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds; 0 when the time is over."""
        return max(0.0, self._end - time.monotonic())


def timed_out(*, is_read: bool) -> PhonerackConnectionError:
    return PhonerackConnectionError(
        "The server did not answer before the timeout.", code="timeout", is_outcome_unknown=not is_read
    )
