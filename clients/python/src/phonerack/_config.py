"""The settings of a client: key, base URL, and the headers and addresses that follow from them."""

from __future__ import annotations

import json
import os
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Dict, Optional

from ._request import Request
from ._version import __version__

LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")


@dataclass(frozen=True)
class Message:
    """A request as it is sent."""

    method: str
    url: str
    # With the key.
    headers: Dict[str, str] = field(repr=False)
    body: Optional[bytes]
    # Whether a repeat has no further effect, and whether the request only reads.
    is_safe: bool
    is_read: bool


@dataclass(frozen=True)
class Config:
    # The text form, which logs and tracebacks show, omits the key.
    # None: the requests need none.
    api_key: Optional[str] = field(repr=False)
    # Scheme, host and port.
    origin: str
    # Repeats of one call.
    max_retries: int

    @property
    def is_loopback(self) -> bool:
        return self.origin.startswith("http:")

    def message(self, request: Request[Any]) -> Message:
        url = urllib.parse.urljoin(self.origin + "/", request.target)
        # Other servers must not get the key.
        if origin_of(url) != self.origin:
            raise ValueError(f"`{request.path}` is not a path of {self.origin}.")
        headers = {
            "user-agent": f"phonerack-python/{__version__}",
            "accept": "*/*" if request.answer == "bytes" else "application/json",
        }
        if self.api_key is not None:
            headers["authorization"] = f"Bearer {self.api_key}"
        body = request.content
        if body is not None:
            headers["content-type"] = "application/octet-stream"
        elif request.json is not None:
            body = json.dumps(request.json).encode()
            headers["content-type"] = "application/json"
        if request.idempotency_key is not None:
            headers["idempotency-key"] = request.idempotency_key
        return Message(request.method, url, headers, body, request.is_safe, request.is_read)


def config_of(api_key: Optional[str], base_url: Optional[str], max_retries: int) -> Config:
    """Reads missing settings from the environment. Raises ValueError when one is missing or unsafe."""
    key = api_key if api_key is not None else os.environ.get("PHONERACK_API_KEY")
    if not key:
        raise ValueError("The API key is missing: pass `api_key` or set PHONERACK_API_KEY.")
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise ValueError("The API key has a character that API keys never have.")
    if max_retries < 0:
        raise ValueError(f"`max_retries` must be 0 or more, and is {max_retries}.")
    return Config(key, safe_origin(base_url), max_retries)


def safe_origin(base_url: Optional[str]) -> str:
    """The origin of the base URL. Raises ValueError for one that would carry a key unencrypted to another machine."""
    url = base_url if base_url is not None else os.environ.get("PHONERACK_BASE_URL")
    if not url:
        raise ValueError("The base URL is missing: pass `base_url` or set PHONERACK_BASE_URL.")
    origin = origin_of(url)
    host = urllib.parse.urlsplit(url).hostname or ""
    is_own = origin.startswith("http://") and LOOPBACK.fullmatch(host) is not None
    if not origin.startswith("https://") and not is_own:
        raise ValueError(f"{origin} is not encrypted: use an https address. http is only for this machine.")
    return origin


def origin_of(url: str) -> str:
    parts = urllib.parse.urlsplit(url)
    if not parts.scheme or not parts.hostname:
        raise ValueError(f"{url!r} is not a URL such as https://phones.example.")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    default = {"https": 443, "http": 80}.get(parts.scheme)
    port = "" if parts.port in (None, default) else f":{parts.port}"
    return f"{parts.scheme}://{host}{port}"
