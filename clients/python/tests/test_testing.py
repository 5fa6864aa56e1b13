"""`phonerack.testing`, with a checkout whose scripts are small."""

from __future__ import annotations

import pathlib

import pytest

from phonerack.testing import start_phonerack

UP = """#!/bin/sh
echo "$@" > {log}
while [ "$1" != --data ]; do shift; done
echo "$2" >> {log}
{end}
echo '{{"base_url": "http://127.0.0.1:9", "keys": {{"admin": "prk_a"}}}}' > "$2/up.json"
"""
DOWN = """#!/bin/sh
echo "down $@" >> {log}
"""


@pytest.fixture
def checkout(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    monkeypatch.delenv("PHONERACK_API_KEY", raising=False)
    monkeypatch.delenv("PHONERACK_BASE_URL", raising=False)
    (tmp_path / "scripts").mkdir()
    write(tmp_path, "up", UP, "")
    write(tmp_path, "down", DOWN, "")
    return tmp_path


def write(folder: pathlib.Path, name: str, text: str, end: str) -> None:
    script = folder / "scripts" / name
    script.write_text(text.format(log=folder / "log", end=end), encoding="utf-8")
    script.chmod(0o755)


def test_starts_a_checkout_and_stops_it(checkout: pathlib.Path) -> None:
    with start_phonerack(checkout, phones=3) as running:
        assert (running.base_url, running.api_key) == ("http://127.0.0.1:9", "prk_a")
        options, data = (checkout / "log").read_text(encoding="utf-8").splitlines()
        assert options == f"--detach --port 0 --virtual-phones 3 --data {data}"
        assert pathlib.Path(data).is_dir()
        running.stop()
    assert (checkout / "log").read_text(encoding="utf-8").splitlines()[2:] == [f"down --data {data}"]
    assert not pathlib.Path(data).exists()


def test_stops_what_started_before_a_failure(checkout: pathlib.Path) -> None:
    write(checkout, "up", UP, "echo No phones.; exit 3")
    with pytest.raises(RuntimeError, match="ended with 3:\nNo phones."):
        start_phonerack(checkout)
    assert (checkout / "log").read_text(encoding="utf-8").splitlines()[-1].startswith("down --data")


def test_uses_the_service_of_the_environment(
    checkout: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match="Pass `directory`"):
        start_phonerack()
    monkeypatch.setenv("PHONERACK_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("PHONERACK_API_KEY", "prk_b")
    with start_phonerack(checkout) as running:
        assert running.api_key == "prk_b"
    assert not (checkout / "log").exists()
