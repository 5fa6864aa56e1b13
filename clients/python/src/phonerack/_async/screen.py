"""The screen of a phone, and actions on it."""

from __future__ import annotations

from typing import List, Literal, Optional, Sequence, cast

from .. import actions
from .._deadline import ACTIONS, REQUEST, Deadline
from .._generated import models, operations
from .._results import ActResult, act_result, given, snapshot_of
from ..observation import Changes, Observation
from ..screenshot import Screenshot
from ..targets import Target, Targetable, element_target, target, waitable
from .connection import AsyncConnection

Observe = Literal["none", "ui", "screenshot", "both", "text", "changes", "auto"]


class AsyncScreen:
    """An action does not wait for its element, and fails when it is not there. `timeout` waits for it, in seconds.

    `deadline` is the time limit of a call, in seconds; on methods that wait for no element, `timeout` is the same.
    """

    def __init__(self, connection: AsyncConnection, id: str) -> None:
        self._connection = connection
        self.id = id
        # The snapshot of the last screen that a method returned.
        self._last_snapshot: Optional[str] = None

    async def observe(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> Observation:
        """Reads the screen."""
        return Observation(await self._read(None, Deadline(REQUEST, timeout, deadline)))

    async def changes(
        self,
        *,
        since: Optional[str] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> Changes:
        """Reads what changed since the last screen that this object got, or since another snapshot."""
        return Changes(await self._read(since or self._last_snapshot, Deadline(REQUEST, timeout, deadline)))

    async def _read(self, since: Optional[str], until: Deadline) -> models.ObserveAnswer:
        seen = await self._connection.send(operations.observe(self.id, since=since), until)
        self._last_snapshot = seen["snapshot_id"]
        return seen

    async def screenshot(
        self,
        *,
        format: Optional[Literal["png", "jpeg"]] = None,
        max_width: Optional[int] = None,
        quality: Optional[int] = None,
        annotate: bool = False,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> Screenshot:
        """A picture: bytes with its scale. `max_width`: pixels. `annotate`: draws the numbers of the elements."""
        request = operations.screenshot(
            self.id,
            format=format,
            max_width=max_width,
            quality=quality,
            annotate="true" if annotate else None,
        )
        image, answer = await self._connection.exchange(request, Deadline(REQUEST, timeout, deadline))
        return Screenshot(image, answer.headers)

    async def act(
        self,
        batch: Sequence[actions.Action],
        *,
        observe: Optional[Observe] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> ActResult:
        """Sends actions as one batch, which runs without a break. Raises ActionError for the first action that fails.

        `observe`: the parts of the screen to return after the last action; default: `ui`. With `text`, the observation
        has no elements, only their lines. `changes` and `auto` compare the screen with the last one of this object.
        """
        return await self._act(batch, observe, Deadline(ACTIONS, timeout, deadline))

    async def _act(
        self,
        batch: Sequence[actions.Action],
        observe: Optional[Observe],
        until: Deadline,
    ) -> ActResult:
        is_compared = observe in ("changes", "auto")
        since = self._last_snapshot if is_compared else None
        body = cast(models.RunActionsBody, given(actions=list(batch), observe=observe, since=since))
        raw, answer = await self._connection.exchange(operations.run_actions(self.id, body=body), until)
        self._last_snapshot = snapshot_of(raw) or self._last_snapshot
        return act_result(raw, answer.request_id, is_compared)

    async def _one(
        self, action: actions.Action, timeout: Optional[float], deadline: Optional[float]
    ) -> None:
        await self.act([action], observe="none", timeout=timeout, deadline=deadline)

    async def _on(
        self,
        found: Optional[Target],
        action: actions.Action,
        timeout: Optional[float],
        deadline: Optional[float],
    ) -> None:
        """Sends an action. With `timeout`, waits for its target first."""
        batch: List[actions.Action] = [action]
        if timeout is not None and found is not None:
            batch.insert(0, actions.wait_for(waitable(found), timeout=timeout))
        await self.act(batch, observe="none", deadline=deadline)

    async def tap(
        self,
        element: Optional[Targetable] = None,
        *,
        text: Optional[str] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        desc: Optional[str] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        found = target(element, text=text, nth=nth, id=id, desc=desc, x=x, y=y)
        await self._on(found, actions.tap(found), timeout, deadline)

    async def double_tap(
        self,
        element: Optional[Targetable] = None,
        *,
        text: Optional[str] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        desc: Optional[str] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        found = target(element, text=text, nth=nth, id=id, desc=desc, x=x, y=y)
        await self._on(found, actions.double_tap(found), timeout, deadline)

    async def long_press(
        self,
        element: Optional[Targetable] = None,
        *,
        text: Optional[str] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        desc: Optional[str] = None,
        x: Optional[int] = None,
        y: Optional[int] = None,
        duration: Optional[float] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        found = target(element, text=text, nth=nth, id=id, desc=desc, x=x, y=y)
        await self._on(found, actions.long_press(found, duration=duration), timeout, deadline)

    async def type_text(
        self,
        text: str,
        *,
        into: Optional[Targetable] = None,
        clear: Optional[bool] = None,
        submit: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        """Types into the field with the focus, or into `into`: an element, or such as `{"text": "Name"}`."""
        found = None if into is None else element_target(into)
        await self._on(found, actions.type_text(text, into=found, clear=clear, submit=submit), timeout, deadline)

    async def clear(
        self,
        into: Optional[Targetable] = None,
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        """Deletes the text of a field."""
        found = None if into is None else element_target(into)
        await self._on(found, actions.clear(found), timeout, deadline)

    async def press(
        self,
        key: str,
        modifiers: Optional[List[actions.Modifier]] = None,
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        """Presses a key, such as `enter`."""
        await self._one(actions.key(key, modifiers), timeout, deadline)

    async def back(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> None:
        await self._one(actions.back(), timeout, deadline)

    async def home(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> None:
        await self._one(actions.home(), timeout, deadline)

    async def swipe(
        self,
        start: Targetable,
        end: Targetable,
        *,
        duration: Optional[float] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        await self._one(actions.swipe(start, end, duration=duration), timeout, deadline)

    async def scroll(
        self,
        direction: actions.Direction,
        *,
        within: Optional[Targetable] = None,
        amount: Optional[float] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        """`amount`: the part of the scrollable area, 0 to 1."""
        await self._one(actions.scroll(direction, within=within, amount=amount), timeout, deadline)

    async def scroll_to(
        self,
        *,
        text: Optional[str] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        desc: Optional[str] = None,
        direction: Optional[actions.Direction] = None,
        max_scrolls: Optional[int] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        action = actions.scroll_to(
            text=text, nth=nth, id=id, desc=desc, direction=direction, max_scrolls=max_scrolls
        )
        await self._one(action, timeout, deadline)

    async def wait_for(
        self,
        element: Optional[Targetable] = None,
        *,
        text: Optional[str] = None,
        nth: Optional[int] = None,
        id: Optional[str] = None,
        desc: Optional[str] = None,
        timeout: float = 10,
        deadline: Optional[float] = None,
        state: Literal["visible", "gone"] = "visible",
    ) -> Observation:
        """Waits for an element, and returns the screen. `state`: `gone` waits until it has disappeared."""
        action = actions.wait_for(
            element, text=text, nth=nth, id=id, desc=desc, timeout=timeout, state=state
        )
        until = Deadline(ACTIONS, deadline)
        result = await self._act([action], "ui", until)
        return result.observation or Observation(await self._read(None, until))

    async def open_app(
        self,
        package: Optional[str] = None,
        *,
        label: Optional[str] = None,
        activity: Optional[str] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> None:
        """Opens an app by its package, or by its name on the phone (`label`)."""
        await self._one(actions.open_app(package, label=label, activity=activity), timeout, deadline)

    async def close_app(
        self, package: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._one(actions.close_app(package), timeout, deadline)

    async def open_url(
        self, url: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._one(actions.open_url(url), timeout, deadline)
