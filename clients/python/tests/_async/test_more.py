"""Apps, uploads, files, device, recordings and people."""

from __future__ import annotations

import pathlib
from typing import Any, Dict, List

import pytest

from phonerack import PhonerackConnectionError, PhonerackError, Progress, shell

from ..server import CUT, PHONE, Reply, Seen, Server, refusal
from .client import connect

UPLOAD = "upl_aaaaaaaaaaaa"
INSTALL = "ins_aaaaaaaaaaaa"


def upload(status: str, **fields: Any) -> Dict[str, Any]:
    return {"object": "upload", "id": UPLOAD, "status": status, "error": None, **fields}


def install_row(status: str, **fields: Any) -> Reply:
    row = {"package": "a.b", "upload": UPLOAD, "install": INSTALL, "status": status, "error": None, "next": None}
    other = {**row, "install": "ins_bbbbbbbbbbbb", "status": "failed"}
    return Reply(200, {"data": [other, {**row, **fields}]})


def created(store: Server) -> Reply:
    fields = {"upload_url": f"{store.url}/store?t=1", "upload_method": "POST", "max_bytes": 5_000_000}
    return Reply(201, upload("awaiting_file", upload_headers={"content-type": "application/x-apk"}, **fields))


async def test_installs_a_file_and_reports_its_progress(
    server: Server, other: Server, tmp_path: pathlib.Path
) -> None:
    file = tmp_path / "app.apk"
    file.write_bytes(b"x" * 2_500_000)
    other.replies = [Reply(200, {"storageId": "st_1"})]
    progress: List[Progress] = []
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [
            created(other),
            Reply(202, upload("processing")),
            Reply(200, upload("ready")),
            refusal(409, "upload_not_ready", retryable=True),
            Reply(202, {"package": "a.b", "upload": UPLOAD, "install": INSTALL, "status": "running"}),
            install_row("running"),
            install_row("succeeded"),
        ]
        done = await one.install(file, replace=True, on_progress=progress.append)
    assert done["install"] == INSTALL
    # The upload URL gets the whole file without the key.
    assert [each.line for each in other.seen] == ["POST /store?t=1"]
    assert len(other.seen[0].raw) == 2_500_000
    assert other.seen[0].headers["content-type"] == "application/x-apk"
    assert "authorization" not in other.seen[0].headers
    assert [each.line.replace(PHONE, "ID") for each in server.seen[1:]] == [
        "POST /v1/apps/uploads",
        f"POST /v1/apps/uploads/{UPLOAD}/complete",
        f"GET /v1/apps/uploads/{UPLOAD}?wait=ready&timeout=50",
        "POST /v1/phones/ID/apps",
        "POST /v1/phones/ID/apps",
        "GET /v1/phones/ID/apps/installs",
        "GET /v1/phones/ID/apps/installs",
    ]
    assert server.seen[2].body == {"storage_id": "st_1"}
    assert server.seen[5].body == {"upload": UPLOAD, "replace": True}
    parts = [each.part for each in progress]
    assert parts == ["uploading"] * 3 + ["processing", "installing"]
    assert [each.fraction for each in progress[2:]] == [1.0, None, None]


async def test_raises_the_reason_of_a_refused_upload_or_install(server: Server, other: Server) -> None:
    other.answer = lambda seen: Reply(200, {"storageId": "st_1"})
    reason = {"code": "invalid_apk", "message": "Not an APK.", "next": "Send an APK."}
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [created(other), Reply(200, upload("invalid_apk", error=reason))]
        with pytest.raises(PhonerackError) as caught:
            await client.apps.upload(b"PK")
        assert (caught.value.code, caught.value.next) == ("invalid_apk", "Send an APK.")
        running = Reply(202, {"package": "a.b", "status": "running"})
        server.replies = [running, install_row("failed", package="a.b", error="install_failed", next="Try.")]
        with pytest.raises(PhonerackError) as failed:
            await one.install(package="a.b")
        assert failed.value.code == "install_failed"
        with pytest.raises(TypeError, match="exactly one"):
            await one.install()
        server.replies = [created(other)]
        with pytest.raises(PhonerackError, match="at most 5000000"):
            await client.apps.upload(b"x" * 5_000_001)


async def test_sends_a_file_once(server: Server, other: Server) -> None:
    other.answer = lambda seen: CUT
    async with connect(server) as client:
        server.replies = [created(other)]
        with pytest.raises(PhonerackConnectionError) as caught:
            await client.apps.upload(b"PK")
        # A redirect of the store is not followed.
        other.answer = lambda seen: Reply(307, None, {"location": f"{server.url}/v1/account"})
        server.replies = [created(other)]
        with pytest.raises(PhonerackError, match="status 307"):
            await client.apps.upload(b"PK")
    assert caught.value.is_outcome_unknown is False
    assert len(other.seen) == 2 and len(server.seen) == 2


async def test_lists_apps_and_uploads(server: Server) -> None:
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.answer = lambda seen: Reply(200, {"data": [{"package": "a.b"}], "next_cursor": None})
        assert [each["package"] async for each in client.apps.library("a b")] == ["a.b"]
        assert len(await client.apps.uploads().to_list()) == 1
        assert (await one.apps())[0]["package"] == "a.b"
        await one.uninstall("a.b")
        await client.apps.get_upload(UPLOAD)
        await client.apps.delete_upload(UPLOAD)
    assert [each.line.replace(PHONE, "ID") for each in server.seen[1:]] == [
        "GET /v1/apps/library?query=a+b",
        "GET /v1/apps/uploads",
        "GET /v1/phones/ID/apps",
        "DELETE /v1/phones/ID/apps/a.b",
        f"GET /v1/apps/uploads/{UPLOAD}",
        f"DELETE /v1/apps/uploads/{UPLOAD}",
    ]


async def test_reads_and_writes_files(server: Server) -> None:
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [
            Reply(201, {"path": "/sdcard/ä.txt", "size": 2}),
            Reply(200, b"\x00milk"),
            Reply(200, {"path": "/sdcard", "data": [{"name": "ä.txt"}]}),
            Reply(200, {"path": "/sdcard/ä.txt", "deleted": True}),
        ]
        assert (await one.files.write("Download/ä b.txt", "ü"))["size"] == 2
        assert await one.files.read("Download/ä b.txt") == b"\x00milk"
        assert (await one.files.list())[0]["name"] == "ä.txt"
        await one.files.delete("Download/ä b.txt")
    assert server.seen[1].raw == "ü".encode()
    assert server.seen[1].headers["content-type"] == "application/octet-stream"
    path = "path=Download%2F%C3%A4+b.txt"
    assert [each.line.replace(PHONE, "ID") for each in server.seen[1:]] == [
        f"PUT /v1/phones/ID/files?{path}",
        f"GET /v1/phones/ID/files/content?{path}",
        "GET /v1/phones/ID/files",
        f"DELETE /v1/phones/ID/files?{path}",
    ]


async def test_reads_and_changes_the_device(server: Server) -> None:
    def answer(seen: Seen) -> Reply:
        return Reply(200, {"text": "copied", "lat": 1.5, "locale": "de-DE", "timezone": None})

    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.answer = answer
        device = one.device
        await device.set_clipboard("copied")
        assert await device.clipboard() == "copied"
        await device.set_location(52.5, 13.4, timezone_from_location=False)
        assert (await device.location())["lat"] == 1.5
        await device.reset_location()
        await device.set_locale("de-DE")
        assert await device.locale() == "de-DE"
        await device.set_timezone("Europe/Berlin")
        assert await device.timezone() is None
        await device.info()
    bodies = [each.body for each in server.seen if each.method == "PUT"]
    assert bodies == [
        {"text": "copied"},
        {"lat": 52.5, "lng": 13.4, "timezone_from_location": False},
        {"locale": "de-DE"},
        {"timezone": "Europe/Berlin"},
    ]


async def test_records_until_the_end_of_a_block_and_reads_the_video(server: Server) -> None:
    def recording(status: str) -> Dict[str, Any]:
        return {"object": "recording", "id": "rec_a", "phone": PHONE, "status": status}

    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [
            Reply(201, recording("recording")),
            Reply(200, recording("processing")),
            Reply(200, {"data": [recording("processing")]}),
            Reply(200, {"data": [recording("ready")]}),
            Reply(200, b"\x00\x00mp4"),
            Reply(200, {"id": "rec_a", "deleted": True}),
            Reply(200, {"data": []}),
        ]
        async with await one.record(name="demo") as made:
            pass
        assert await made.video() == b"\x00\x00mp4"
        assert made.data["status"] == "ready"
        await made.delete()
        with pytest.raises(PhonerackError, match="was deleted"):
            await made.ready()
    assert server.lines[2] == f"POST /v1/phones/{PHONE}/recordings/rec_a/stop"


async def test_hands_the_phone_to_a_person_and_waits_for_the_answer(server: Server) -> None:
    asked = {"id": "hnd_a", "url": "https://p.example/h/1", "expires_at": "2099-01-01T00:00:00.000Z"}
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [
            Reply(201, {**asked, "status": "open"}),
            Reply(200, {**asked, "status": "taken"}),
            CUT,
            Reply(200, {**asked, "status": "done", "note": "Signed in."}),
        ]
        handoff = await one.hand_off(message="Please sign in.", expires_in=600)
        assert handoff.url == "https://p.example/h/1"
        answer = await handoff.done()
        assert (answer["status"], answer["note"]) == ("done", "Signed in.")
        server.answer = lambda seen: Reply(200, {**asked, "status": "open"}, delay=0.1)
        with pytest.raises(PhonerackError, match="before the deadline") as caught:
            await handoff.done(timeout=0.5)
        assert (caught.value.code, caught.value.retryable) == ("handoff_open", True)
        assert caught.value.details == {"handoff": "hnd_a", "status": "open"}
        await handoff.cancel()
        server.replies = [Reply(201, {"url": "https://p.example/l/1", "expires_at": "2099"})]
        assert (await one.live(control=False))["url"] == "https://p.example/l/1"
    assert server.seen[1].body == {"message": "Please sign in.", "expires_in": 600}
    assert server.lines[2] == f"GET /v1/phones/{PHONE}/handoffs/hnd_a?wait=done&timeout=50"


async def test_runs_shell_commands_whose_failure_is_a_result(server: Server) -> None:
    result = {
        "stdout": "",
        "stderr": "no",
        "exit_code": 1,
        "timed_out": False,
        "truncated": False,
        "duration_ms": 5,
    }
    async with connect(server) as client:
        one = await client.phones.get(PHONE)
        server.replies = [Reply(200, result), Reply(200, result)]
        assert await one.shell("false") == result
        await one.shell("cat", stdin="in", timeout=1.5)
    assert [each.line for each in server.seen[1:]] == [f"POST /v1/phones/{PHONE}/shell"] * 2
    assert [each.body for each in server.seen[1:]] == [
        {"command": "false", "timeout": 10},
        {"command": "cat", "timeout": 1.5, "stdin": "in"},
    ]
    assert shell("ls", timeout=0.5) == {"type": "shell", "command": "ls", "timeout_ms": 500}
