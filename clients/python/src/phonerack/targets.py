"""Targets of actions: `tap(text="Next")`, or an element of an observation: `tap(screen.find(text="Next"))`."""

from __future__ import annotations

from typing import Mapping, Optional, Union, cast

from ._generated import models
from .observation import Element

Target = models.Target
# A target that is found on the screen when the action runs.
SearchTarget = Union[models.TextTarget, models.IdTarget, models.DescTarget]
# A target that can be waited for.
WaitTarget = Union[SearchTarget, models.RefTarget]
# An element of an observation, or a target as in the API.
Targetable = Union[Element, models.Target]


def target(
    element: Optional[Targetable] = None,
    *,
    text: Optional[str] = None,
    nth: Optional[int] = None,
    id: Optional[str] = None,
    desc: Optional[str] = None,
    x: Optional[int] = None,
    y: Optional[int] = None,
) -> Target:
    """The target of an action, in exactly one form: element, text, ID, description, or a point in device pixels.

    `nth` selects one of several elements with the text: the index in screen order, from 0.
    """
    point = None if x is None and y is None else (x, y)
    given = [each for each in (element, text, id, desc, point) if each is not None]
    if len(given) != 1:
        raise TypeError("Give exactly one of: an element, `text`, `id`, `desc`, or `x` with `y`.")
    if nth is not None and text is None:
        raise TypeError("`nth` needs `text`.")
    if element is not None:
        return element_target(element)
    if text is not None:
        return {"text": text} if nth is None else {"text": text, "nth": nth}
    if id is not None:
        return {"id": id}
    if desc is not None:
        return {"desc": desc}
    if x is None or y is None:
        raise TypeError("A point needs `x` and `y`.")
    return {"x": x, "y": y}


def element_target(element: Targetable) -> Target:
    if isinstance(element, Element):
        return element.target
    if isinstance(element, Mapping):
        return element
    raise TypeError(f"{element!r} is not a target. `find` returns None when the screen lacks the element.")


def waitable(found: Target) -> WaitTarget:
    """A target that can be waited for. Raises TypeError for a point."""
    if "x" in found:
        raise TypeError("A point cannot be waited for: leave out `timeout`.")
    return cast(WaitTarget, found)


def searchable(found: Target) -> SearchTarget:
    """A target that can be scrolled to. Raises TypeError for a point or an element."""
    if "x" in found or "ref" in found:
        raise TypeError("`scroll_to` needs `text`, `id` or `desc`.")
    return cast(SearchTarget, found)
