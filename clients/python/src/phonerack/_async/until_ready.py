"""Waits until a phone is ready or parked."""

from __future__ import annotations

from .._deadline import Deadline
from .._generated import models, operations
from .._results import WAIT, is_ready, still_starting
from ..errors import PhonerackConnectionError
from .connection import AsyncConnection

# Seconds between two reads that returned immediately.
PAUSE = 0.5


async def until_ready(connection: AsyncConnection, phone: models.Phone, deadline: Deadline) -> models.Phone:
    """Raises PhonerackError when the phone fails or ends up in another state; `details["phone"]` is its ID."""
    while not is_ready(phone):
        try:
            await connection.pause(PAUSE, deadline)
            phone = await connection.send(operations.get_phone(phone["id"], wait="ready", timeout=WAIT), deadline)
        except PhonerackConnectionError as error:
            if error.code != "timeout":
                raise
            raise still_starting(phone["id"]) from error
    return phone


async def until_parked(connection: AsyncConnection, phone: models.Phone, deadline: Deadline) -> models.Phone:
    while phone["status"] == "parking":
        await connection.pause(PAUSE, deadline)
        phone = await connection.send(operations.get_phone(phone["id"], wait="parked", timeout=WAIT), deadline)
    return phone
