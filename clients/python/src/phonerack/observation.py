"""One reading of a screen."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Pattern, Tuple, Union, cast

from ._generated import models

# The whole text; a pattern of `re`: a part of it.
TextQuery = Union[str, Pattern[str]]


@dataclass(frozen=True)
class Element:
    """An element, which can be the target of an action while the screen shows it. Positions are device pixels."""

    ref: int
    snapshot_id: str
    # Such as `Button`.
    type: str
    text: Optional[str]
    desc: Optional[str]
    # Such as `com.example:id/name`.
    id: Optional[str]
    # Left, top, right, bottom.
    bounds: Tuple[int, int, int, int]
    center: Tuple[int, int]
    # Such as `clickable` and `editable`.
    state: Tuple[str, ...]

    @property
    def target(self) -> models.RefTarget:
        return {"ref": self.ref, "snapshot_id": self.snapshot_id}


class Observation:
    """The elements of a screen, and its text form. `raw` has the API's fields."""

    def __init__(self, raw: Union[models.Observation, models.TextObservation]) -> None:
        self.raw = raw
        self.snapshot_id = raw["snapshot_id"]
        self.app = raw["app"]
        self.keyboard = raw["keyboard"]
        self.screen = raw["screen"]
        # Empty with `observe="text"`: the answer then describes elements only as lines of `text`.
        elements = cast(List[models.Element], raw.get("elements", []))
        self.elements: List[Element] = [_element(each, self.snapshot_id) for each in elements]
        # True: the screen has more elements than the API returns.
        self.truncated = raw["truncated"]
        # The screen as numbered lines, for a language model.
        self.text = raw["text"]

    @property
    def taken_at(self) -> datetime.datetime:
        return datetime.datetime.fromisoformat(self.raw["taken_at"].replace("Z", "+00:00"))

    def find(
        self,
        *,
        text: Optional[TextQuery] = None,
        desc: Optional[TextQuery] = None,
        id: Optional[str] = None,
        type: Optional[str] = None,
    ) -> Optional[Element]:
        """The first element that matches all given fields; None: no element does."""
        return next(iter(self.find_all(text=text, desc=desc, id=id, type=type)), None)

    def find_all(
        self,
        *,
        text: Optional[TextQuery] = None,
        desc: Optional[TextQuery] = None,
        id: Optional[str] = None,
        type: Optional[str] = None,
    ) -> List[Element]:
        """All elements that match. `id`: the full ID, or its last part."""
        return [
            each
            for each in self.elements
            if (text is None or _is_like(each.text, text))
            and (desc is None or _is_like(each.desc, desc))
            and (id is None or each.id == id or (each.id or "").endswith(f"/{id}"))
            and (type is None or each.type == type)
        ]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Observation {self.snapshot_id} of {self.app['package']}, {len(self.elements)} elements>"


class Changes:
    """The difference between a screen and an earlier screen. `raw` has the API's fields.

    Elements that only moved are omitted: their refs lead to the new place.
    """

    def __init__(self, raw: models.ObserveAnswer) -> None:
        self.raw = raw
        self.snapshot_id = raw["snapshot_id"]
        self.app = raw["app"]
        fields = cast(Mapping[str, Any], raw)
        # `added` has all elements, and earlier elements are no longer valid: most of the screen changed, another app or
        # window is in the foreground, or there is no earlier screen.
        self.is_whole = "elements" in fields
        self.added = self._elements(fields.get("elements", fields.get("added", [])))
        # Elements whose text, description or state changed.
        self.changed = self._elements(fields.get("changed", []))
        # Refs of elements that are gone.
        self.removed: List[int] = fields.get("removed", [])
        # The changes as lines, for a language model.
        self.text = raw["text"]

    @property
    def is_same(self) -> bool:
        """Nothing changed."""
        return not (self.is_whole or self.added or self.changed or self.removed)

    def _elements(self, elements: List[models.Element]) -> List[Element]:
        return [_element(each, self.snapshot_id) for each in elements]

    def __str__(self) -> str:
        return self.text


def _element(raw: models.Element, snapshot_id: str) -> Element:
    left, top, right, bottom = raw["bounds"]
    x, y = raw["center"]
    return Element(
        ref=raw["ref"],
        snapshot_id=snapshot_id,
        type=raw["type"],
        text=raw["text"],
        desc=raw["desc"],
        id=raw["id"],
        bounds=(left, top, right, bottom),
        center=(x, y),
        state=tuple(raw["state"]),
    )


def _is_like(value: Optional[str], wanted: TextQuery) -> bool:
    if value is None:
        return False
    return value == wanted if isinstance(wanted, str) else re.search(wanted, value) is not None
