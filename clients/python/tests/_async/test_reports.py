"""Reports of a phone over a real HTTP server."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from phonerack import AsyncPhone

from ..server import Reply, Server
from .client import connect

PHONE: Any = {"id": "ph_aaaaaaaaaaaa", "name": "a", "status": "ready"}
AT = "/v1/phones/ph_aaaaaaaaaaaa"


def reply(body: Any) -> Reply:
    return Reply(200, body)


async def test_reads_the_log_page_by_page(server: Server) -> None:
    server.replies = [
        reply({"data": [{"message": "two"}], "next_cursor": "c"}),
        reply({"data": [{"message": "one"}], "next_cursor": None}),
    ]
    since = datetime(2026, 1, 1, tzinfo=timezone.utc)
    async with connect(server) as client:
        phone = AsyncPhone(client._connection, PHONE)
        found = [line["message"] async for line in phone.reports.logs(package="com.a", level="warn", since=since)]
    assert found == ["two", "one"]
    query = "package=com.a&level=warn&since=2026-01-01T00%3A00%3A00Z"
    assert server.lines[0] == f"GET {AT}/logs?{query}"
    assert "cursor=c" in server.lines[1]


async def test_lists_crashes_and_notifications_and_acts_on_one(server: Server) -> None:
    server.replies = [
        reply({"data": [{"kind": "anr"}], "next_cursor": None}),
        reply({"data": [{"id": "ntf_a"}]}),
        reply({"id": "ntf_a", "opened": True}),
        reply({"id": "ntf_a", "dismissed": True}),
    ]
    async with connect(server) as client:
        phone = AsyncPhone(client._connection, PHONE)
        assert [crash["kind"] async for crash in phone.reports.crashes(package="com.a")] == ["anr"]
        assert await phone.reports.notifications() == [{"id": "ntf_a"}]
        await phone.reports.open_notification("ntf_a")
        await phone.reports.dismiss_notification("ntf_a")
    assert server.lines == [
        f"GET {AT}/crashes?package=com.a",
        f"GET {AT}/notifications",
        f"POST {AT}/notifications/ntf_a/open",
        f"POST {AT}/notifications/ntf_a/dismiss",
    ]


async def test_sets_permissions(server: Server) -> None:
    permissions = [{"name": "android.permission.CAMERA", "granted": True}]
    server.replies = [reply({"package": "com.a", "permissions": permissions})]
    async with connect(server) as client:
        phone = AsyncPhone(client._connection, PHONE)
        assert await phone.permissions.set("com.a", grant=["android.permission.CAMERA"]) == permissions
    assert server.lines == [f"POST {AT}/apps/com.a/permissions"]
    assert server.seen[0].body == {"grant": ["android.permission.CAMERA"]}
