"""The phones of a project."""

from __future__ import annotations

import uuid
from typing import Any, Literal, Mapping, Optional, cast

from .._deadline import ACTIONS, REQUEST, Deadline
from .._generated import models, operations
from .._results import after_write, given, key_of, maybe_created
from ..errors import PhonerackError
from .connection import AsyncConnection
from .pages import AsyncPages
from .phone import AsyncPhone
from .until_ready import until_ready

Status = Literal["creating", "starting", "ready", "parking", "parked", "unavailable", "failed", "deleted"]

OnIdle = Literal["park", "delete"]

ENDED_FOR_GOOD = ("deleted", "failed")


class AsyncPhones:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        name: Optional[str] = None,
        country: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        on_idle: Optional[OnIdle] = None,
        idle_timeout: Optional[int] = None,
        max_duration: Optional[int] = None,
        wait: bool = True,
        idempotency_key: Optional[str] = None,
        retry_capacity: float = 0,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPhone:
        """Rents a phone, and waits until it is ready. It is billed until it parks: a `with` block parks it.

        `country`: two letters; default: any country. `on_idle`: `delete` deletes the phone with its data where it would
        park, and by `park()`. `idle_timeout`: seconds without use until the phone parks.
        `max_duration`: seconds until it parks in any case. `wait`: False returns while the phone is still creating.
        `idempotency_key`: a repeat with the same key returns the same phone; default: a random one for each call.
        `retry_capacity`: seconds to wait for a free phone; default: the call fails immediately.
        """
        until = Deadline(ACTIONS + retry_capacity, timeout, deadline)
        body = given(
            name=name,
            country=country,
            metadata=metadata,
            on_idle=on_idle,
            idle_timeout=idle_timeout,
            max_duration=max_duration,
            wait=None if wait else False,
        )
        phone = await self._create(body, idempotency_key or str(uuid.uuid4()), until, retry_capacity)
        if wait:
            with after_write(phone["id"]):
                phone = await until_ready(self._connection, phone, until)
        return AsyncPhone(self._connection, phone)

    async def _create(
        self, body: Mapping[str, Any], key: str, until: Deadline, retry_capacity: float
    ) -> models.Phone:
        request = operations.create_phone(body=cast(models.CreatePhoneBody, body), idempotency_key=key)
        try:
            phone, _ = await self._connection.exchange(request, until, capacity=retry_capacity)
        except PhonerackError as error:
            raise maybe_created(error, key) from error.__cause__
        return phone

    async def get_or_create(
        self,
        key: str,
        *,
        name: Optional[str] = None,
        country: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        on_idle: Optional[OnIdle] = None,
        idle_timeout: Optional[int] = None,
        max_duration: Optional[int] = None,
        retry_capacity: float = 0,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPhone:
        """Returns the phone with this key once it is ready. Starts a parked phone, and creates a missing phone.

        The key is the pair `key` of its metadata, at most 256 characters. Concurrent calls get the same phone.
        The other arguments are the arguments of `create` and apply to a new phone: an existing phone keeps its name,
        country, metadata and `on_idle`.
        """
        until = Deadline(ACTIONS + retry_capacity, timeout, deadline)
        existing = await self._find_by_key(key, until)
        if existing is not None:
            return await self._running(existing, idle_timeout, max_duration, retry_capacity, until)
        body = given(
            name=name,
            country=country,
            metadata={**(metadata or {}), "key": key},
            on_idle=on_idle,
            idle_timeout=idle_timeout,
            max_duration=max_duration,
            wait=False,
        )
        dead = ""
        while True:
            try:
                # A repeat returns the phone of the first call, even after that phone has ended.
                phone = await self._create(body, key_of(key, dead), until, retry_capacity)
            except PhonerackError as error:
                if error.code != "idempotency_conflict":
                    raise
                # A phone was created for this key with other arguments: it exists, or has ended.
                other = await self._find_by_key(key, until)
                if other is not None:
                    return await self._running(other, idle_timeout, max_duration, retry_capacity, until)
                ended = await self._newest_ended(key, until)
                if ended is None or ended == dead:
                    raise
                dead = ended
                continue
            if phone["status"] not in ENDED_FOR_GOOD:
                return await self._running(phone, idle_timeout, max_duration, retry_capacity, until)
            dead = phone["id"]

    async def _find_by_key(self, key: str, until: Deadline) -> Optional[models.Phone]:
        """None: all phones with this key have ended."""
        found = await self._connection.send(operations.list_phones(metadata={"key": key}, limit=1), until)
        for each in found["data"]:
            one = AsyncPhone(self._connection, each)
            if one.status == "parking":
                await one.wait_until_parked(deadline=until.left())
            # With `on_idle="delete"`, a park deletes it.
            if one.status not in ENDED_FOR_GOOD:
                return one.data
        return None

    async def _newest_ended(self, key: str, until: Deadline) -> Optional[str]:
        """The ID of the newest phone with this key that was deleted or has failed."""
        deleted = await self._connection.send(
            operations.list_phones(status="deleted", metadata={"key": key}, limit=1), until
        )
        failed = await self._connection.send(
            operations.list_phones(status="failed", metadata={"key": key}, limit=1), until
        )
        ended = sorted(deleted["data"] + failed["data"], key=lambda phone: phone["created_at"])
        return ended[-1]["id"] if ended else None

    async def _running(
        self,
        phone: models.Phone,
        idle_timeout: Optional[int],
        max_duration: Optional[int],
        retry_capacity: float,
        until: Deadline,
    ) -> AsyncPhone:
        made = AsyncPhone(self._connection, phone)
        if phone["status"] in ("parked", "unavailable"):
            return await made.start(
                idle_timeout=idle_timeout,
                max_duration=max_duration,
                retry_capacity=retry_capacity,
                deadline=until.left(),
            )
        with after_write(phone["id"]):
            made.data = await until_ready(self._connection, phone, until)
        return made

    async def get(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPhone:
        phone = await self._connection.send(operations.get_phone(id), Deadline(REQUEST, timeout, deadline))
        return AsyncPhone(self._connection, phone)

    def list(
        self,
        *,
        status: Optional[Status] = None,
        metadata: Optional[Mapping[str, str]] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> AsyncPages[AsyncPhone]:
        """Newest first. `status`: default: every status except `failed` and `deleted`. `deadline`: for each page."""

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.list_phones(status=status, metadata=metadata, cursor=cursor, limit=limit)
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        return AsyncPages(read, lambda phone: AsyncPhone(self._connection, phone))
