"""A task from create to park on a real service with a virtual phone, and each class once.

Runs with PHONERACK_TEST_SERVICE=1, PHONERACK_BASE_URL and PHONERACK_API_KEY, a key that can delete phones.
"""

from __future__ import annotations

import asyncio
import os
from typing import Iterator

import pytest

from phonerack import (
    AsyncPhonerack,
    NotFoundError,
    Phone,
    Phonerack,
    TargetNotFoundError,
    WaitTimeoutError,
    open_app,
    tap,
    type_text,
)

pytestmark = pytest.mark.skipif(
    os.environ.get("PHONERACK_TEST_SERVICE") != "1",
    reason="a running service is needed: set PHONERACK_TEST_SERVICE=1, PHONERACK_BASE_URL and PHONERACK_API_KEY",
)


@pytest.fixture(scope="module")
def client() -> Iterator[Phonerack]:
    with Phonerack() as one:
        yield one


@pytest.fixture(scope="module")
def rented(client: Phonerack) -> Iterator[Phone]:
    one = client.phones.create(name="of the Python SDK", metadata={"test": "python"})
    yield one
    one.delete()


def test_writes_a_note_with_elements_that_it_has_read(rented: Phone) -> None:
    result = rented.act([open_app("com.phonerack.notes")])
    assert result.observation is not None
    assert result.observation.app["package"] == "com.phonerack.notes"
    add = rented.wait_for(desc="New note").find(desc="New note")
    assert add is not None
    rented.act([tap(add), type_text("Grüße aus Python 👋", into={"text": "Title"})])
    assert "Grüße aus Python 👋" in rented.observe().text
    assert rented.screenshot(format="png")[1:4] == b"PNG"


def test_fails_with_the_code_of_the_action(rented: Phone) -> None:
    with pytest.raises(TargetNotFoundError) as caught:
        rented.tap(text="There is no such text")
    assert (caught.value.code, caught.value.index, caught.value.completed) == ("target_not_found", 0, 0)
    with pytest.raises(WaitTimeoutError) as waited:
        rented.tap(text="Nor this", timeout=0.5)
    assert waited.value.code == "wait_timeout"


def test_has_files_and_settings(rented: Phone) -> None:
    rented.files.write("/sdcard/Download/python.txt", "milk")
    assert rented.files.read("/sdcard/Download/python.txt") == b"milk"
    assert "python.txt" in [each["name"] for each in rented.files.list("/sdcard/Download")]
    rented.files.delete("/sdcard/Download/python.txt")
    rented.device.set_clipboard("from Python")
    assert rented.device.clipboard() == "from Python"
    assert rented.device.info()["model"] != ""


def test_is_recorded_shown_and_handed_over(rented: Phone) -> None:
    with rented.record(name="Python") as recording:
        rented.home()
    assert recording.video()[4:8] == b"ftyp"
    assert "/live#" in rented.live(control=False)["url"]
    handoff = rented.hand_off(message="Please look.")
    assert handoff.get()["status"] == "open"
    handoff.cancel()
    with pytest.raises(NotFoundError):
        handoff.done(timeout=60)


def test_is_listed_parked_and_started_again(client: Phonerack, rented: Phone) -> None:
    assert [each.id for each in client.phones.list(metadata={"test": "python"})] == [rented.id]
    with client.phones.get(rented.id) as same:
        assert same.status == "ready"
    assert rented.refresh().status == "parked"
    assert rented.start(max_duration=600).status == "ready"
    assert len(rented.sessions().to_list()) >= 2
    assert float(client.account()["balance_usd"]) > 0


def test_is_read_by_the_async_client(rented: Phone) -> None:
    async def read() -> str:
        async with AsyncPhonerack() as client:
            return (await (await client.phones.get(rented.id)).observe()).text

    assert asyncio.run(read()).startswith("app ")
