"""Addresses to which the service sends events."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Sequence, cast

from .._deadline import REQUEST, Deadline
from .._generated import models, operations
from .connection import AsyncConnection
from .pages import AsyncPages, same


class AsyncWebhooks:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        url: str,
        *,
        events: Optional[Sequence[str]] = None,
        description: Optional[str] = None,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.WebhookWithSecret:
        """Returns the webhook with its secret, shown only once. `events`: the types that are sent; default: all."""
        body = {"url": url, "events": None if events is None else [*events], "description": description}
        given = {name: value for name, value in body.items() if value is not None}
        request = operations.create_webhook(body=cast(models.CreateWebhookBody, given))
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def list(
        self, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> List[models.Webhook]:
        """Newest first. A project has at most 10."""
        request = operations.list_webhooks()
        return (await self._connection.send(request, Deadline(REQUEST, timeout, deadline)))["data"]

    async def get(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.Webhook:
        return await self._connection.send(operations.get_webhook(id), Deadline(REQUEST, timeout, deadline))

    async def update(
        self,
        id: str,
        change: models.UpdateWebhookBody,
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.Webhook:
        """Omitted fields keep their value, as in `{"enabled": False}`."""
        request = operations.update_webhook(id, body=change)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

    async def delete(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> None:
        await self._connection.send(operations.delete_webhook(id), Deadline(REQUEST, timeout, deadline))

    async def rotate(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.WebhookWithSecret:
        """Replaces the secret. The previous secret stays valid for a day."""
        return await self._connection.send(
            operations.rotate_webhook(id), Deadline(REQUEST, timeout, deadline)
        )

    async def test(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> models.Delivery:
        """Sends an event of the type `webhook.test`, once."""
        return await self._connection.send(operations.test_webhook(id), Deadline(REQUEST, timeout, deadline))

    def deliveries(
        self, id: str, *, timeout: Optional[float] = None, deadline: Optional[float] = None
    ) -> AsyncPages[models.Delivery]:
        """Newest first."""

        async def read(cursor: Optional[str], limit: Optional[int]) -> Mapping[str, Any]:
            request = operations.list_deliveries(id, cursor=cursor, limit=limit)
            return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))

        return AsyncPages(read, same)

    async def retry(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: Optional[float] = None,
        deadline: Optional[float] = None,
    ) -> models.Delivery:
        """Sends a delivery again."""
        request = operations.retry_delivery(id, delivery_id)
        return await self._connection.send(request, Deadline(REQUEST, timeout, deadline))
