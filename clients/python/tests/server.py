"""A real HTTP server in a thread that answers like the API, and records the requests."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional


@dataclass
class Seen:
    method: str
    url: str
    headers: Dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None

    @property
    def line(self) -> str:
        return f"{self.method} {self.url}"


@dataclass
class Reply:
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = field(default_factory=dict)
    # The connection breaks after the request has arrived.
    is_cut: bool = False
    # Seconds before the answer.
    delay: float = 0
    # Sends the body byte by byte, with this pause in seconds.
    drip: Optional[float] = None


def refusal(status: int, code: str, *, headers: Optional[Dict[str, str]] = None, **fields: Any) -> Reply:
    error = {
        "type": "conflict_error",
        "code": code,
        "message": f"It is {code}.",
        "retryable": False,
        "next": None,
        "details": {},
        "request_id": "req_aaaaaaaaaaaa",
    }
    return Reply(status, {"error": {**error, **fields}}, headers or {})


CUT = Reply(is_cut=True)


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """The client gave up and closed its connection."""


class Server:
    def __init__(self) -> None:
        self.seen: List[Seen] = []
        # These answers are returned in order, before `answer` is called.
        self.replies: List[Reply] = []
        self.answer: Callable[[Seen], Reply] = lambda seen: Reply(200, phone("ready"))
        self._ended = threading.Event()
        self._http = QuietServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._ended.set()
        self._http.shutdown()
        self._http.server_close()

    @property
    def lines(self) -> List[str]:
        return [each.line for each in self.seen]

    def _reply(self, seen: Seen) -> Reply:
        self.seen.append(seen)
        return self.replies.pop(0) if self.replies else self.answer(seen)

    def _handler(self) -> Any:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are two writes. With Nagle's algorithm, the body would wait for an acknowledgement.
            disable_nagle_algorithm = True

            def handle_any(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = server._reply(Seen(self.command, self.path, headers, self.rfile.read(length)))
                server._ended.wait(reply.delay)
                if reply.is_cut:
                    self.close_connection = True
                    return
                is_raw = isinstance(reply.body, bytes)
                body = reply.body if is_raw else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                type = "application/octet-stream" if is_raw else "application/json"
                usual = {"content-type": type, "content-length": str(len(body))}
                for name, value in {**usual, **reply.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                if reply.drip is None:
                    self.wfile.write(body)
                    return
                for start in range(len(body)):
                    self.wfile.write(body[start : start + 1])
                    self.wfile.flush()
                    if server._ended.wait(reply.drip):
                        return

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler


PHONE = "ph_aaaaaaaaaaaa"


def phone(status: str, failure: Optional[Dict[str, Any]] = None) -> Dict[str, Any]:
    return {
        "id": PHONE,
        "object": "phone",
        "name": "one",
        "status": status,
        "country": None,
        "metadata": {},
        "failure": failure,
        "created_at": "2026-01-01T00:00:00.000Z",
        "last_active_at": None,
        "session": None,
    }


OBSERVATION: Dict[str, Any] = {
    "snapshot_id": "snp_aaaaaaaaaaaa",
    "taken_at": "2026-01-01T00:00:00.000Z",
    "truncated": False,
    "text": '[1] Button "Next"',
    "app": {"package": "a.b", "activity": None},
    "keyboard": {"visible": False, "focused_editable": False},
    "screen": {"width": 100, "height": 200},
    "elements": [
        {
            "ref": 1,
            "type": "Button",
            "text": "Next",
            "desc": None,
            "id": "a.b:id/next",
            "bounds": [0, 0, 10, 10],
            "center": [5, 5],
            "state": ["clickable"],
        }
    ],
}
