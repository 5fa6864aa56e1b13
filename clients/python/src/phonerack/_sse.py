"""Reads server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import List, Optional

# Only these end a line. `str.splitlines` also splits at characters that JSON may contain.
LINE_BREAK = re.compile(r"\r\n|\n|\r(?!\Z)")


@dataclass(frozen=True)
class Frame:
    # The last ID of the stream so far, also of a frame without data.
    last_id: Optional[str]
    # None: a frame without data, which only sets the ID.
    data: Optional[str]


class FrameReader:
    """Collects chunks of a stream and returns the frames that they complete."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._rest = ""
        self._last_id: Optional[str] = None
        self._data: List[str] = []
        self._is_changed = False

    def read(self, chunk: bytes) -> List[Frame]:
        lines = LINE_BREAK.split(self._rest + self._decoder.decode(chunk))
        # A carriage return at the end may be the first half of a line break.
        self._rest = lines.pop()
        return [frame for line in lines for frame in self._take(line)]

    def _take(self, line: str) -> List[Frame]:
        if line == "":
            return self._end()
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._last_id = value
            self._is_changed = True
        return []

    def _end(self) -> List[Frame]:
        data = "\n".join(self._data) if self._data else None
        is_frame = data is not None or self._is_changed
        self._data = []
        self._is_changed = False
        return [Frame(self._last_id, data)] if is_frame else []
