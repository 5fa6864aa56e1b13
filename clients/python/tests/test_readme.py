"""The examples of the README: they run word by word, and pass `mypy --strict`."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import zipfile
from typing import Any, Dict, List

import pytest

from .server import OBSERVATION, Reply, Seen, Server, phone, refusal

ROOT = pathlib.Path(__file__).parent.parent


def examples() -> List[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


@pytest.fixture(params=["source", "wheel"])
def package(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> pathlib.Path:
    """The folder from which `phonerack` is imported."""
    if request.param == "source":
        return ROOT / "src"
    for module in ("build", "setuptools", "wheel"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"python3-{module} is not installed, which the wheel needs")
    command = [str(ROOT / "scripts" / "build.sh"), str(tmp_path / "dist")]
    environment = {**os.environ, "PYTHON": sys.executable}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name == "phonerack-0.1.0-py3-none-any.whl"
    unpacked = tmp_path / "unpacked"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    assert (unpacked / "phonerack" / "py.typed").exists()
    metadata = (unpacked / "phonerack-0.1.0.dist-info" / "METADATA").read_text(encoding="utf-8")
    assert re.findall("^Requires-Dist: (.*)$", metadata, re.MULTILINE) == ["httpx (<1,>=0.23)"]
    return unpacked


class Service:
    """Answers like the API for one phone."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.status = "ready"
        self.elements = [{**OBSERVATION["elements"][0], "text": "hello from an agent"}]

    def answer(self, seen: Seen) -> Reply:
        path = re.sub(r"^/v1|\?.*$", "", seen.url).replace("/phones/ph_aaaaaaaaaaaa", "/one")
        return getattr(self, f"{seen.method}_{re.sub('[^a-z]', '_', path.strip('/'))}")(seen)  # type: ignore

    def POST_phones(self, seen: Seen) -> Reply:
        self.status = "ready"
        return Reply(201, phone("ready"))

    def GET_one(self, seen: Seen) -> Reply:
        return Reply(200, phone(self.status))

    def POST_one_park(self, seen: Seen) -> Reply:
        self.status = "parked"
        return Reply(200, phone("parked"))

    def POST_one_start(self, seen: Seen) -> Reply:
        self.status = "ready"
        return Reply(200, phone("ready"))

    def GET_phones(self, seen: Seen) -> Reply:
        return Reply(200, {"data": [phone(self.status)], "next_cursor": None})

    def GET_one_observe(self, seen: Seen) -> Reply:
        if self.status == "parked":
            return refusal(409, "phone_not_running", next="Start the phone.")
        return Reply(200, {**OBSERVATION, "elements": self.elements})

    def POST_one_actions(self, seen: Seen) -> Reply:
        results = [
            {"index": index, "type": each["type"], "ok": True, "ms": 1}
            for index, each in enumerate(seen.body["actions"])
        ]
        answer: Dict[str, Any] = {"results": results, "completed": len(results)}
        return Reply(200, {**answer, "observation": OBSERVATION} if seen.body.get("observe") != "none" else answer)

    def POST_one_handoffs(self, seen: Seen) -> Reply:
        handoff = {"id": "hnd", "url": "https://phones.example/h", "expires_at": "2099-01-01T00:00:00.000Z"}
        return Reply(201, {**handoff, "status": "open"})

    def GET_one_handoffs_hnd(self, seen: Seen) -> Reply:
        return Reply(200, {"id": "hnd", "status": "done", "note": "Signed in."})

    def POST_apps_uploads(self, seen: Seen) -> Reply:
        upload = {"id": "upl", "status": "awaiting_file", "upload_url": f"{self.server.url}/v1/store"}
        return Reply(201, {**upload, "upload_method": "POST", "upload_headers": {}, "max_bytes": 1000})

    def POST_store(self, seen: Seen) -> Reply:
        return Reply(200, {"storageId": "st"})

    def POST_apps_uploads_upl_complete(self, seen: Seen) -> Reply:
        return Reply(200, {"id": "upl", "status": "ready", "error": None})

    def POST_one_apps(self, seen: Seen) -> Reply:
        return Reply(202, {"package": "a.b", "install": "ins", "status": "running"})

    def GET_one_apps_installs(self, seen: Seen) -> Reply:
        row = {"package": "a.b", "install": "ins", "status": "succeeded", "error": None, "next": None}
        return Reply(200, {"data": [row]})

    def POST_one_recordings(self, seen: Seen) -> Reply:
        return Reply(201, {"id": "rec", "status": "recording"})

    def POST_one_recordings_rec_stop(self, seen: Seen) -> Reply:
        return Reply(200, {"id": "rec", "status": "processing"})

    def GET_one_recordings(self, seen: Seen) -> Reply:
        return Reply(200, {"data": [{"id": "rec", "status": "ready"}]})

    def GET_one_recordings_rec_video(self, seen: Seen) -> Reply:
        return Reply(200, b"mp4")

    def PUT_one_files(self, seen: Seen) -> Reply:
        return Reply(201, {"path": "/sdcard/Download/list.txt", "size": len(seen.raw)})

    def POST_one_apps_com_phonerack_trouble_permissions(self, seen: Seen) -> Reply:
        return Reply(200, {"package": "com.phonerack.trouble", "permissions": []})

    def GET_one_logs(self, seen: Seen) -> Reply:
        return Reply(200, {"data": [{"message": "one"}], "next_cursor": None})

    def GET_one_crashes(self, seen: Seen) -> Reply:
        return Reply(200, {"data": [{"kind": "crash"}], "next_cursor": None})

    def GET_one_notifications(self, seen: Seen) -> Reply:
        return Reply(200, {"data": []})

    def GET_one_steps(self, seen: Seen) -> Reply:
        return Reply(200, {"data": [{"id": "stp", "status": "succeeded"}], "next_cursor": None})

    def GET_one_steps_export(self, seen: Seen) -> Reply:
        return Reply(200, b"file")

    def POST_one_live(self, seen: Seen) -> Reply:
        return Reply(201, {"url": "https://phones.example/l", "expires_at": "2099-01-01T00:00:00.000Z"})

    def POST_webhooks(self, seen: Seen) -> Reply:
        return Reply(201, {"object": "webhook", "id": "whk", "secret": "whsec_a"})

    def DELETE_webhooks_whk(self, seen: Seen) -> Reply:
        return Reply(200, {"id": "whk", "deleted": True})


def test_the_examples_run(server: Server, tmp_path: pathlib.Path, package: pathlib.Path) -> None:
    """Runs from the source folder, and from only the wheel in an empty folder."""
    server.answer = Service(server).answer
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "app.apk").write_bytes(b"PK")
    environment = {
        "PATH": os.environ["PATH"],
        # The second folder contains httpx, when the interpreter does not have it as a package.
        "PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        "PYTHONIOENCODING": "utf-8",
        "PHONERACK_BASE_URL": server.url,
        "PHONERACK_API_KEY": "prk_test",
    }
    program = "\n".join([*examples(), "import phonerack as used", "print(used.__file__)"])
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert (done.stderr, done.returncode) == ("", 0)
    printed = done.stdout.splitlines()
    assert printed.pop() == str(package / "phonerack" / "__init__.py")
    assert printed == [
        '[1] Button "Next"',
        "(5, 5)",
        "https://phones.example/h",
        "done Signed in.",
        "uploading 1.0",
        "processing None",
        "installing None",
        "https://phones.example/l 3",
        "True 1 0",
        "whsec_a",
        "stp succeeded",
        "4 4",
        '[1] Button "Next"',
        "one ready",
        "phone_not_running Start the phone.",
        '[1] Button "Next"',
    ]
    assert server.lines.count("POST /v1/phones") == 5
    assert len([line for line in server.lines if line.endswith("/start")]) == 2
    assert len([line for line in server.lines if line.endswith("/park")]) == 7


def test_the_examples_pass_mypy_strict(tmp_path: pathlib.Path) -> None:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    file = tmp_path / "readme.py"
    file.write_text("\n".join(examples()), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", str(file)]
    environment = {"MYPY_CACHE_DIR": str(tmp_path / "cache"), **os.environ, "MYPYPATH": str(ROOT / "src")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert (done.stdout.splitlines()[-1:], done.returncode) == (
        ["Success: no issues found in 1 source file"],
        0,
    ), done.stdout
