"""Webhooks: each method sends the request of the API."""

from __future__ import annotations

from typing import Any, Dict

import pytest

from phonerack import NotFoundError

from ..server import Reply, Server, refusal
from .client import connect

WEBHOOK = "whk_aaaaaaaaaaaa"
DELIVERY = "dlv_aaaaaaaaaaaa"


def webhook(**fields: Any) -> Dict[str, Any]:
    return {"object": "webhook", "id": WEBHOOK, "url": "https://agents.example.com/phonerack", **fields}


def delivery(id: str) -> Dict[str, Any]:
    return {"object": "delivery", "id": id, "webhook": WEBHOOK, "status": "pending"}


async def test_creates_changes_and_deletes_a_webhook(server: Server) -> None:
    url = "https://agents.example.com/phonerack"
    server.replies = [
        Reply(201, webhook(secret="whsec_a")),
        Reply(201, webhook(secret="whsec_b")),
        Reply(200, {"data": [webhook()]}),
        Reply(200, webhook()),
        Reply(200, webhook(enabled=False)),
        Reply(200, webhook(secret="whsec_c")),
        Reply(200, {"id": WEBHOOK, "deleted": True}),
        refusal(404, "webhook_not_found", type="not_found_error"),
    ]
    async with connect(server) as client:
        hooks = client.webhooks
        assert (await hooks.create(url))["secret"] == "whsec_a"
        assert (await hooks.create(url, events=["phone.ready"], description="Agents"))["id"] == WEBHOOK
        assert [each["id"] for each in await hooks.list()] == [WEBHOOK]
        assert (await hooks.get(WEBHOOK))["url"] == url
        assert (await hooks.update(WEBHOOK, {"enabled": False, "events": None}))["enabled"] is False
        assert (await hooks.rotate(WEBHOOK))["secret"] == "whsec_c"
        await hooks.delete(WEBHOOK)
        with pytest.raises(NotFoundError):
            await hooks.get(WEBHOOK)
    assert server.lines == [
        "POST /v1/webhooks",
        "POST /v1/webhooks",
        "GET /v1/webhooks",
        f"GET /v1/webhooks/{WEBHOOK}",
        f"PATCH /v1/webhooks/{WEBHOOK}",
        f"POST /v1/webhooks/{WEBHOOK}/rotate",
        f"DELETE /v1/webhooks/{WEBHOOK}",
        f"GET /v1/webhooks/{WEBHOOK}",
    ]
    assert [server.seen[at].body for at in (0, 1, 4)] == [
        {"url": url},
        {"url": url, "events": ["phone.ready"], "description": "Agents"},
        {"enabled": False, "events": None},
    ]


async def test_reads_and_sends_deliveries(server: Server) -> None:
    server.replies = [
        Reply(202, delivery("dlv_test")),
        Reply(200, {"data": [delivery("dlv_2")], "next_cursor": "more"}),
        Reply(200, {"data": [delivery("dlv_1")], "next_cursor": None}),
        Reply(202, delivery(DELIVERY)),
    ]
    async with connect(server) as client:
        assert (await client.webhooks.test(WEBHOOK))["id"] == "dlv_test"
        ids = [each["id"] async for each in client.webhooks.deliveries(WEBHOOK)]
        assert ids == ["dlv_2", "dlv_1"]
        assert (await client.webhooks.retry(WEBHOOK, DELIVERY))["status"] == "pending"
    assert server.lines == [
        f"POST /v1/webhooks/{WEBHOOK}/test",
        f"GET /v1/webhooks/{WEBHOOK}/deliveries",
        f"GET /v1/webhooks/{WEBHOOK}/deliveries?cursor=more",
        f"POST /v1/webhooks/{WEBHOOK}/deliveries/{DELIVERY}/retry",
    ]
