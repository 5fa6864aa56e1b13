"""A picture of a screen."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple


class Screenshot(bytes):
    """The bytes of the image, with the facts that its pixels do not show."""

    # Image width divided by screen width: divide a point of the image by it to get device pixels.
    scale: float
    # Width and height of the screen in device pixels.
    screen: Tuple[int, int]
    # The screen shows a window that forbids screenshots. The window is black in the image.
    secure: bool
    # Names the screen of an annotated picture, whose numbers are the `ref` of its elements; otherwise None.
    snapshot_id: Optional[str]

    def __new__(cls, image: bytes, headers: Mapping[str, str]) -> Screenshot:
        made = super().__new__(cls, image)
        made.scale = float(headers.get("x-screen-scale", "nan"))
        made.screen = (int(headers.get("x-screen-width", 0)), int(headers.get("x-screen-height", 0)))
        made.secure = headers.get("x-screen-secure") == "true"
        made.snapshot_id = headers.get("x-snapshot-id")
        return made
