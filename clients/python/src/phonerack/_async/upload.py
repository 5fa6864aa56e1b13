"""Sends an APK to the service, which checks it, and installs it on a phone."""

from __future__ import annotations

import json
from typing import Callable, Optional, cast

from .._answers import unexpected
from .._deadline import Deadline
from .._generated import models, operations
from .._results import WAIT, AppFile, Progress, Source, given, installed, uploaded
from ..errors import PhonerackError
from .connection import AsyncConnection

OnProgress = Optional[Callable[[Progress], None]]

# Seconds: between two looks, and before an install is sent again whose upload is being prepared.
PAUSE, PREPARED = 1.0, 5.0


async def upload_file(
    connection: AsyncConnection, file: AppFile, on_progress: OnProgress, deadline: Deadline
) -> models.Upload:
    """Returns the ready upload. If the project already has an upload of the same file, returns that upload."""
    report = on_progress or _ignore
    source = Source(file)
    created = await connection.send(operations.create_upload(body={}), deadline)
    source.check_size(created["max_bytes"])

    def on_sent(sent: int) -> None:
        report(Progress("uploading", sent / source.size if source.size else 1.0))

    answer = await connection.send_file(
        created["upload_method"], created["upload_url"], created["upload_headers"], source, deadline, on_sent
    )
    try:
        storage_id = json.loads(answer.body)["storageId"]
    except (ValueError, KeyError, TypeError, RecursionError):
        storage_id = None
    if not isinstance(storage_id, str):
        raise unexpected(answer.status, "without a file ID", is_read=True)
    report(Progress("processing"))
    upload = await connection.send(
        operations.complete_upload(created["id"], body={"storage_id": storage_id}), deadline
    )
    while True:
        found = uploaded(upload)
        if found is not None:
            return found
        await connection.pause(PAUSE / 2, deadline)
        upload = await connection.send(operations.get_upload(upload["id"], wait="ready", timeout=WAIT), deadline)


async def install_app(
    connection: AsyncConnection,
    phone_id: str,
    body: models.InstallAppBody,
    on_progress: OnProgress,
    deadline: Deadline,
) -> models.InstallsDataItem:
    """Installs an app, and waits until it is installed. Raises PhonerackError when the phone refuses it."""
    (on_progress or _ignore)(Progress("installing"))
    started = await _start(connection, phone_id, body, deadline)
    while True:
        installs = await connection.send(operations.list_installs(phone_id), deadline)
        found = installed(installs, started)
        if found is not None:
            return found
        await connection.pause(PAUSE, deadline)


async def _start(
    connection: AsyncConnection, phone_id: str, body: models.InstallAppBody, deadline: Deadline
) -> models.StartedInstall:
    while True:
        try:
            return await connection.send(operations.install_app(phone_id, body=body), deadline)
        except PhonerackError as error:
            # Nothing has been installed: the upload is being prepared for this phone.
            if error.code != "upload_not_ready" or not error.retryable:
                raise
        await connection.pause(PREPARED, deadline)


def body_of(package: Optional[str], upload: Optional[str], replace: bool) -> models.InstallAppBody:
    body = given(package=package, upload=upload, replace=True if replace else None)
    return cast(models.InstallAppBody, body)


def _ignore(progress: Progress) -> None:
    pass
