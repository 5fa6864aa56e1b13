"""The time of a call with all its requests and pauses."""

from __future__ import annotations

import time
from typing import Optional

from .errors import PhonerackConnectionError

# Seconds of one request, of a batch of actions, of an upload, of an install, and until a video is made.
REQUEST, ACTIONS, UPLOAD, INSTALL, VIDEO = 130.0, 310.0, 300.0, 900.0, 600.0
# The longest time of a socket is 24.8 days.
LONGEST = 2_000_000.0


class Deadline:
    def __init__(self, default: float, *given: Optional[float]) -> None:
        """`given`: seconds; the shortest time applies. `default`: the time of a call without one."""
        times = [each for each in given if each is not None] or [default]
        for seconds in times:
            if not seconds > 0:
                raise ValueError(f"The time of a call must be above 0 seconds, and is {seconds}.")
        self._end = time.monotonic() + min(*times, LONGEST)

    def left(self) -> float:
        """Seconds; 0 when the time is over."""
        return max(0.0, self._end - time.monotonic())


def timed_out(*, is_read: bool) -> PhonerackConnectionError:
    return PhonerackConnectionError(
        "The server did not answer before the timeout.", code="timeout", is_outcome_unknown=not is_read
    )
