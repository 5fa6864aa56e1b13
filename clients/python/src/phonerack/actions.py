"""Builders of actions: `phone.act([tap(text="Next"), type_text("hello")])`. Each returns the object that the API takes.

Times are seconds. Targets are described in `phonerack.targets`.
"""

from __future__ import annotations

from typing import List, Literal, Optional, cast

from ._generated import models
from .targets import Targetable, element_target, searchable, target, waitable

Action = models.Action
Direction = Literal["up", "down", "left", "right"]
Modifier = Literal["shift", "ctrl", "alt", "meta"]


def tap(
    element: Optional[Targetable] = None,
    *,
    text: Optional[str] = None,
    nth: Optional[int] = None,
    id: Optional[str] = None,
    desc: Optional[str] = None,
    x: Optional[int] = None,
    y: Optional[int] = None,
) -> Action:
    return {"type": "tap", "target": target(element, text=text, nth=nth, id=id, desc=desc, x=x, y=y)}


def double_tap(
    element: Optional[Targetable] = None,
    *,
    text: Optional[str] = None,
    nth: Optional[int] = None,
    id: Optional[str] = None,
    desc: Optional[str] = None,
    x: Optional[int] = None,
    y: Optional[int] = None,
) -> Action:
    return {"type": "double_tap", "target": target(element, text=text, nth=nth, id=id, desc=desc, x=x, y=y)}


def long_press(
    element: Optional[Targetable] = None,
    *,
    text: Optional[str] = None,
    nth: Optional[int] = None,
    id: Optional[str] = None,
    desc: Optional[str] = None,
    x: Optional[int] = None,
    y: Optional[int] = None,
    duration: Optional[float] = None,
) -> Action:
    action: models.LongPressAction = {
        "type": "long_press",
        "target": target(element, text=text, nth=nth, id=id, desc=desc, x=x, y=y),
    }
    if duration is not None:
        action["duration_ms"] = milliseconds(duration)
    return action


def type_text(
    text: str, *, into: Optional[Targetable] = None, clear: Optional[bool] = None, submit: Optional[bool] = None
) -> Action:
    """`into`: a field to tap first; `clear`: replaces its text; `submit`: presses Enter afterwards."""
    action: models.TypeAction = {"type": "type", "text": text}
    if into is not None:
        action["target"] = element_target(into)
    if clear is not None:
        action["clear"] = clear
    if submit is not None:
        action["submit"] = submit
    return action


def clear(into: Optional[Targetable] = None) -> Action:
    """Deletes the text of a field. Default: the field with the focus."""
    return {"type": "clear"} if into is None else {"type": "clear", "target": element_target(into)}


def key(name: str, modifiers: Optional[List[Modifier]] = None) -> Action:
    """Such as `enter`, `tab` or `volume_up`."""
    action = cast(models.KeyAction, {"type": "key", "key": name})
    if modifiers is not None:
        action["modifiers"] = modifiers
    return action


def back() -> Action:
    return {"type": "back"}


def home() -> Action:
    return {"type": "home"}


def recents() -> Action:
    return {"type": "recents"}


def hide_keyboard() -> Action:
    return {"type": "hide_keyboard"}


def swipe(start: Targetable, end: Targetable, *, duration: Optional[float] = None) -> Action:
    action: models.SwipeAction = {"type": "swipe", "from": element_target(start), "to": element_target(end)}
    if duration is not None:
        action["duration_ms"] = milliseconds(duration)
    return action


def drag(start: Targetable, end: Targetable, *, duration: Optional[float] = None) -> Action:
    action: models.DragAction = {"type": "drag", "from": element_target(start), "to": element_target(end)}
    if duration is not None:
        action["duration_ms"] = milliseconds(duration)
    return action


def pinch(element: Targetable, scale: float) -> Action:
    """`scale` above 1 zooms in, below 1 zooms out."""
    return {"type": "pinch", "target": element_target(element), "scale": scale}


def scroll(direction: Direction, *, within: Optional[Targetable] = None, amount: Optional[float] = None) -> Action:
    """`amount`: the part of the scrollable area, 0 to 1."""
    action: models.ScrollAction = {"type": "scroll", "direction": direction}
    if within is not None:
        action["target"] = element_target(within)
    if amount is not None:
        action["amount"] = amount
    return action


def scroll_to(
    element: Optional[Targetable] = None,
    *,
    text: Optional[str] = None,
    nth: Optional[int] = None,
    id: Optional[str] = None,
    desc: Optional[str] = None,
    direction: Optional[Direction] = None,
    max_scrolls: Optional[int] = None,
) -> Action:
    found = searchable(target(element, text=text, nth=nth, id=id, desc=desc))
    action: models.ScrollToAction = {"type": "scroll_to", "target": found}
    if direction is not None:
        action["direction"] = direction
    if max_scrolls is not None:
        action["max_scrolls"] = max_scrolls
    return action


def open_app(
    package: Optional[str] = None, *, label: Optional[str] = None, activity: Optional[str] = None
) -> Action:
    """Opens an app by its package, or by its name on the phone (`label`)."""
    action: models.OpenAppAction = {"type": "open_app"}
    if package is not None:
        action["package"] = package
    if label is not None:
        action["label"] = label
    if activity is not None:
        action["activity"] = activity
    return action


def close_app(package: str) -> Action:
    return {"type": "close_app", "package": package}


def open_url(url: str) -> Action:
    return {"type": "open_url", "url": url}


def wait(seconds: float) -> Action:
    return {"type": "wait", "ms": milliseconds(seconds)}


def wait_for(
    element: Optional[Targetable] = None,
    *,
    text: Optional[str] = None,
    nth: Optional[int] = None,
    id: Optional[str] = None,
    desc: Optional[str] = None,
    timeout: Optional[float] = None,
    state: Optional[Literal["visible", "gone"]] = None,
) -> Action:
    """`state`: `gone` waits until the target has disappeared."""
    found = waitable(target(element, text=text, nth=nth, id=id, desc=desc))
    action: models.WaitForAction = {"type": "wait_for", "target": found}
    if timeout is not None:
        action["timeout_ms"] = milliseconds(timeout)
    if state is not None:
        action["state"] = state
    return action


def wait_idle(*, timeout: Optional[float] = None) -> Action:
    if timeout is None:
        return {"type": "wait_idle"}
    return {"type": "wait_idle", "timeout_ms": milliseconds(timeout)}


def shell(command: str, *, stdin: Optional[str] = None, timeout: Optional[float] = None) -> Action:
    """`timeout`: seconds, 10 if omitted."""
    action: models.ShellAction = {"type": "shell", "command": command}
    if stdin is not None:
        action["stdin"] = stdin
    if timeout is not None:
        action["timeout_ms"] = milliseconds(timeout)
    return action


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
