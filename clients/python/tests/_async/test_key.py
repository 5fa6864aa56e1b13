"""The API key: its source, and the servers that get it."""

from __future__ import annotations

import pytest

from phonerack import AsyncPhonerack

from ..server import Server
from .client import connect


async def test_sends_the_key_to_no_other_server(
    server: Server, other: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A proxy would see the key of a plain http connection.
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, other.url)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("no_proxy", "")
    async with connect(server) as client:
        host = other.url.partition("://")[2]
        for path in (f"{other.url}/v1/account", f"//{host}/v1/account", f"http://x@{host}/"):
            with pytest.raises(ValueError, match="is not a path"):
                await client.request("GET", path)
        await client.request("get", "/v1/account")
        for id in ("../account", "a/b?c#d", "%2e%2e"):
            await client.phones.get(id)
        with pytest.raises(ValueError, match="is not an ID"):
            await client.phones.get("..")
    assert other.seen == []
    assert server.lines == [
        "GET /v1/account",
        "GET /v1/phones/..%2Faccount",
        "GET /v1/phones/a%2Fb%3Fc%23d",
        "GET /v1/phones/%252e%252e",
    ]


def test_takes_its_settings_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PHONERACK_API_KEY", raising=False)
    monkeypatch.delenv("PHONERACK_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="API key is missing"):
        AsyncPhonerack(base_url="https://phones.example")
    with pytest.raises(ValueError, match="base URL is missing"):
        AsyncPhonerack(api_key="prk_a")
    monkeypatch.setenv("PHONERACK_API_KEY", "prk_a")
    monkeypatch.setenv("PHONERACK_BASE_URL", "https://phones.example")
    assert AsyncPhonerack().base_url == "https://phones.example"


@pytest.mark.parametrize(
    "url",
    [
        "http://phones.example",
        "http://127.0.0.1.example",
        "http://localhost.example",
        "http://127.0.0.1@phones.example",
        "http://10.0.0.1",
        "ftp://localhost",
        "phones.example",
        "",
    ],
)
def test_refuses_a_base_url_that_would_show_the_key(url: str) -> None:
    with pytest.raises(ValueError):
        AsyncPhonerack(api_key="prk_a", base_url=url)


@pytest.mark.parametrize("key", ["prk a", "prk_a\r\nx: y", "prk_ü", "prk_a\n"])
def test_refuses_a_key_that_is_not_a_header(key: str) -> None:
    with pytest.raises(ValueError, match="API key has a character"):
        AsyncPhonerack(api_key=key, base_url="https://phones.example")
