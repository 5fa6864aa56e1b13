"""A phone: its life, its apps, and hand-overs to people."""

from __future__ import annotations

import warnings
from types import TracebackType
from typing import Any, Callable, List, Mapping, Optional, Type, cast

from .._deadline import ACTIONS, INSTALL, REQUEST, Deadline
from .._generated import models, operations
from .._results import AppFile, Progress, after_write, given
from ..errors import PhonerackError
from .connection import AsyncConnection
from .device import AsyncDevice
from .files import AsyncFiles
from .handoff import AsyncHandoff
from .pages import AsyncPages, same
from .recording import AsyncRecording
from .reports import AsyncPermissions, AsyncReports
from .screen import AsyncScreen
from .steps import AsyncSteps
from .until_ready import until_parked, until_ready
from .upload import body_of, install_app, upload_file


class AsyncPhone(AsyncScreen):
    """A phone of the project. A `with` block parks it at its end."""

    def __init__(self, connection: AsyncConnection, data: models.Phone) -> None:
        super().__init__(connection, data["id"])
        # From the last answer. `refresh()` reads it again.
        self.data = data
        self.files = AsyncFiles(connection, self.id)
        # Clipboard, location, locale, time zone, and the facts of the device.
        self.device = AsyncDevice(connection, self.id)
        # The permissions of its apps.
        self.permissions = AsyncPermissions(connection, self.id)
        # Log, crashes and notifications.
        self.reports = AsyncReports(connection, self.id)
        # The batches of actions that ran on the phone, with results and screens.
        self.steps = AsyncSteps(connection, self.id)

    @property
    def name(self) -> str:
        return self.data["name"]

    @property
    def status(self) -> str:
        """Such as `ready` or `parked`, from the last answer."""
        return self.data["status"]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.status}>"

    async def refresh(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        request = operations.get_phone(self.id)
        self.data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return self

    async def start(
        self,
        *,
        idle_timeout: Optional[int] = None,
        max_duration: Optional[int] = None,
        wait: bool = True,
        retry_capacity: float = 0,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPhone:
        """Starts a parked phone, and waits until it is ready. On a running phone it renews the session.

        `idle_timeout`: seconds without use until the phone parks. `max_duration`: seconds until it parks in any case.
        `retry_capacity`: seconds to wait for a free place; default: the call fails immediately.
        """
        until = Deadline(ACTIONS + retry_capacity, timeout, deadline)
        body = given(idle_timeout=idle_timeout, max_duration=max_duration, wait=None if wait else False)
        request = operations.start_phone(self.id, body=cast(models.StartPhoneBody, body))
        self.data, _ = await self._connection.exchange(request, until, capacity=retry_capacity)
        if wait:
            with after_write(self.id):
                self.data = await until_ready(self._connection, self.data, until)
        return self

    async def wait_until_ready(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        """Waits without starting the phone. Raises PhonerackError when the phone cannot become ready by itself."""
        self.data = await until_ready(self._connection, self.data, Deadline(ACTIONS, timeout, deadline))
        return self

    async def wait_until_parked(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        """Waits until the phone is no longer `parking`."""
        self.data = await until_parked(self._connection, self.data, Deadline(ACTIONS, timeout, deadline))
        return self

    async def park(
        self, *, wait: bool = True, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        """Ends the session, and keeps the phone with its data, unless `on_idle` is `delete`. `wait`: False returns while it is `parking`."""
        request = operations.park_phone(self.id, body={} if wait else {"wait": False})
        self.data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return self

    async def delete(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> None:
        """Deletes the phone with its data."""
        request = operations.delete_phone(self.id)
        self.data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def heartbeat(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        """Counts as use of the phone, so that its idle timeout starts again."""
        request = operations.heartbeat_phone(self.id)
        self.data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return self

    async def update(
        self,
        *,
        name: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPhone:
        """Renames the phone, or replaces its metadata."""
        body = cast(models.UpdatePhoneBody, given(name=name, metadata=metadata))
        request = operations.update_phone(self.id, body=body)
        self.data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return self

    def sessions(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPages[models.Session]:
        """Newest first."""

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.list_sessions(self.id, cursor=cursor, limit=limit)
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        return AsyncPages(read, same)

    async def reboot(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        """Restarts Android, and waits until the phone is ready."""
        until = Deadline(ACTIONS, timeout, deadline)
        self.data = await self._connection.send(operations.reboot_phone(self.id), until)
        with after_write(self.id):
            self.data = await until_ready(self._connection, self.data, until)
        return self

    async def reset(self, *, timeout: Optional[float] = None, deadline: Optional[float] = None) -> AsyncPhone:
        """Deletes all data of the phone, and waits until it is ready."""
        until = Deadline(ACTIONS, timeout, deadline)
        await self._connection.send(operations.reset_phone(self.id), until)
        with after_write(self.id):
            self.data = await self._connection.send(operations.get_phone(self.id), until)
            self.data = await until_ready(self._connection, self.data, until)
        return self

    async def shell(
        self,
        command: str,
        *,
        stdin: Optional[str] = None,
        timeout: float = 10,
        deadline: Optional[float] = None,
    ) -> models.ShellResult:
        """Runs a command in the shell of the phone for at most `timeout` seconds. The result has its `exit_code`."""
        body: models.RunShellBody = {"command": command, "timeout": timeout}
        if stdin is not None:
            body["stdin"] = stdin
        return await self._connection.send(
            operations.run_shell(self.id, body=body), Deadline(REQUEST, deadline)
        )

    async def apps(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> List[models.ListAppsAnswerDataItem]:
        """All installed apps, including system apps."""
        request = operations.list_apps(self.id)
        return (await self._connection.send(request, Deadline(REQUEST, timeout, deadline)))["data"]

    async def install(
        self,
        file: Optional[AppFile] = None,
        *,
        package: Optional[str] = None,
        upload: Optional[str] = None,
        replace: bool = False,
        on_progress: Optional[Callable[[Progress], None]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.InstallsDataItem:
        """Installs an app and waits until it is there. Raises PhonerackError with the reason of the phone.

        The app: `file`, the path or bytes of an APK; `package` of the library; or `upload`, the ID of an upload.
        `replace` uninstalls the app first, which deletes its data.
        """
        if len([each for each in (file, package, upload) if each is not None]) != 1:
            raise TypeError("Give exactly one of: a file, `package`, or `upload`.")
        until = Deadline(INSTALL, timeout, deadline)
        if file is not None:
            upload = (await upload_file(self._connection, file, on_progress, until))["id"]
        body = body_of(package, upload, replace)
        return await install_app(self._connection, self.id, body, on_progress, until)

    async def uninstall(
        self, package: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        """Removes an app with its data."""
        request = operations.uninstall_app(self.id, package)
        await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def hand_off(
        self,
        *,
        message: str,
        expires_in: Optional[int] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncHandoff:
        """Asks a person to do something on the phone, such as a sign-in. Send the person `url`, then call `done()`.

        `expires_in`: seconds.
        """
        body = cast(models.CreateHandoffBody, given(message=message, expires_in=expires_in))
        request = operations.create_handoff(self.id, body=body)
        created = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return AsyncHandoff(self._connection, self.id, created)

    async def live(
        self,
        *,
        expires_in: Optional[int] = None,
        control: Optional[bool] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.CreateLiveLinkAnswer:
        """A page that shows the screen, and takes input unless `control` is False. It works like a password."""
        body = cast(models.CreateLiveLinkBody, given(expires_in=expires_in, control=control))
        request = operations.create_live_link(self.id, body=body)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def record(
        self, *, name: Optional[str] = None, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncRecording:
        """Starts a recording of the screen."""
        request = operations.start_recording(self.id, body=cast(models.StartRecordingBody, given(name=name)))
        data = await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
        return AsyncRecording(self._connection, self.id, data)

    async def __aenter__(self) -> AsyncPhone:
        return self

    async def __aexit__(
        self,
        exc_type: Optional[Type[BaseException]],
        exc: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        try:
            await self.park()
        except PhonerackError as error:
            # A phone that has since been deleted needs no park.
            if error.code in ("phone_deleted", "phone_not_found"):
                return
            if exc is None:
                raise
            # The error of the block must be raised, not an error of the park.
            warnings.warn(f"{self.id} was not parked, and is billed: {error}", RuntimeWarning, stacklevel=2)
