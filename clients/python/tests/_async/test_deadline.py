"""`deadline` of every method, with a server that does not answer."""

from __future__ import annotations

import inspect
from typing import Any, Callable, Dict

import pytest

from phonerack import (
    AsyncApps,
    AsyncDevice,
    AsyncFiles,
    AsyncHandoff,
    AsyncPermissions,
    AsyncPhone,
    AsyncPhonerack,
    AsyncPhones,
    AsyncRecording,
    AsyncReports,
    AsyncSetup,
    AsyncSteps,
    PhonerackConnectionError,
    PhonerackError,
    home,
)

from ..server import PHONE, Reply, Seen, Server, phone
from .client import connect

HANDOFF = {"id": "hnd_a", "url": "https://a.example", "expires_at": "2999-01-01T00:00:00.000Z"}
SETUP = {"user_code": "A", "verification_url": "https://a.example", "setup_token": "prs_a"}


class Things:
    """One object of each class."""

    def __init__(self, client: AsyncPhonerack) -> None:
        data: Any = phone("ready")
        handoff: Any = HANDOFF
        recording: Any = {"id": "rec_a", "status": "recording"}
        setup: Any = SETUP
        self.client = client
        self.phone = AsyncPhone(client._connection, data)
        self.handoff = AsyncHandoff(client._connection, PHONE, handoff)
        self.recording = AsyncRecording(client._connection, PHONE, recording)
        self.setup = AsyncSetup(client._connection, setup)

    def with_status(self, status: str) -> AsyncPhone:
        self.phone.data["status"] = status
        return self.phone


# Each function takes the deadline in seconds.
Calls = Dict[str, Callable[[Things, float], Any]]

READS: Calls = {
    "AsyncPhonerack.account": lambda of, time: of.client.account(deadline=time),
    "AsyncPhonerack.past_events": lambda of, time: of.client.past_events(deadline=time).to_list(),
    "AsyncPhonerack.request": lambda of, time: of.client.request("GET", "/v1/account", deadline=time),
    "AsyncPhones.get": lambda of, time: of.client.phones.get(PHONE, deadline=time),
    "AsyncPhones.list": lambda of, time: of.client.phones.list(deadline=time).to_list(),
    "AsyncPhones.get_or_create": lambda of, time: of.client.phones.get_or_create("a", deadline=time),
    "AsyncPhone.refresh": lambda of, time: of.phone.refresh(deadline=time),
    "AsyncPhone.wait_until_ready": lambda of, time: of.with_status("starting").wait_until_ready(deadline=time),
    "AsyncPhone.wait_until_parked": lambda of, time: of.with_status("parking").wait_until_parked(deadline=time),
    "AsyncPhone.sessions": lambda of, time: of.phone.sessions(deadline=time).to_list(),
    "AsyncPhone.observe": lambda of, time: of.phone.observe(deadline=time),
    "AsyncPhone.changes": lambda of, time: of.phone.changes(deadline=time),
    "AsyncPhone.screenshot": lambda of, time: of.phone.screenshot(deadline=time),
    "AsyncPhone.apps": lambda of, time: of.phone.apps(deadline=time),
    "AsyncDevice.info": lambda of, time: of.phone.device.info(deadline=time),
    "AsyncDevice.clipboard": lambda of, time: of.phone.device.clipboard(deadline=time),
    "AsyncDevice.location": lambda of, time: of.phone.device.location(deadline=time),
    "AsyncDevice.locale": lambda of, time: of.phone.device.locale(deadline=time),
    "AsyncDevice.timezone": lambda of, time: of.phone.device.timezone(deadline=time),
    "AsyncReports.logs": lambda of, time: of.phone.reports.logs(deadline=time).to_list(),
    "AsyncReports.crashes": lambda of, time: of.phone.reports.crashes(deadline=time).to_list(),
    "AsyncReports.notifications": lambda of, time: of.phone.reports.notifications(deadline=time),
    "AsyncFiles.list": lambda of, time: of.phone.files.list(deadline=time),
    "AsyncFiles.read": lambda of, time: of.phone.files.read("/sdcard/a", deadline=time),
    "AsyncSteps.list": lambda of, time: of.phone.steps.list(deadline=time).to_list(),
    "AsyncSteps.get": lambda of, time: of.phone.steps.get("stp_a", deadline=time),
    "AsyncSteps.screenshot": lambda of, time: of.phone.steps.screenshot("stp_a", deadline=time),
    "AsyncSteps.export": lambda of, time: of.phone.steps.export("html", deadline=time),
    "AsyncApps.get_upload": lambda of, time: of.client.apps.get_upload("upl_a", deadline=time),
    "AsyncApps.uploads": lambda of, time: of.client.apps.uploads(deadline=time).to_list(),
    "AsyncApps.library": lambda of, time: of.client.apps.library(deadline=time).to_list(),
    "AsyncHandoff.get": lambda of, time: of.handoff.get(deadline=time),
    "AsyncHandoff.done": lambda of, time: of.handoff.done(deadline=time),
    "AsyncRecording.ready": lambda of, time: of.recording.ready(deadline=time),
    "AsyncRecording.video": lambda of, time: of.recording.video(deadline=time),
}

NEXT: Any = {"text": "Next"}
WRITES: Calls = {
    "AsyncPhones.create": lambda of, time: of.client.phones.create(deadline=time),
    "AsyncPhone.start": lambda of, time: of.phone.start(deadline=time),
    "AsyncPhone.shell": lambda of, time: of.phone.shell("ls", deadline=time),
    "AsyncPhone.park": lambda of, time: of.phone.park(deadline=time),
    "AsyncPhone.delete": lambda of, time: of.phone.delete(deadline=time),
    "AsyncPhone.heartbeat": lambda of, time: of.phone.heartbeat(deadline=time),
    "AsyncPhone.update": lambda of, time: of.phone.update(name="two", deadline=time),
    "AsyncPhone.reboot": lambda of, time: of.phone.reboot(deadline=time),
    "AsyncPhone.reset": lambda of, time: of.phone.reset(deadline=time),
    "AsyncPhone.act": lambda of, time: of.phone.act([home()], deadline=time),
    # The wait for the element is longer than the deadline.
    "AsyncPhone.tap": lambda of, time: of.phone.tap(NEXT, timeout=60, deadline=time),
    "AsyncPhone.double_tap": lambda of, time: of.phone.double_tap(NEXT, timeout=60, deadline=time),
    "AsyncPhone.long_press": lambda of, time: of.phone.long_press(NEXT, timeout=60, deadline=time),
    "AsyncPhone.type_text": lambda of, time: of.phone.type_text("a", into=NEXT, timeout=60, deadline=time),
    "AsyncPhone.clear": lambda of, time: of.phone.clear(NEXT, timeout=60, deadline=time),
    "AsyncPhone.wait_for": lambda of, time: of.phone.wait_for(NEXT, timeout=60, deadline=time),
    "AsyncPhone.press": lambda of, time: of.phone.press("enter", deadline=time),
    "AsyncPhone.back": lambda of, time: of.phone.back(deadline=time),
    "AsyncPhone.home": lambda of, time: of.phone.home(deadline=time),
    "AsyncPhone.swipe": lambda of, time: of.phone.swipe({"x": 1, "y": 2}, {"x": 3, "y": 4}, deadline=time),
    "AsyncPhone.scroll": lambda of, time: of.phone.scroll("down", deadline=time),
    "AsyncPhone.scroll_to": lambda of, time: of.phone.scroll_to(text="Next", deadline=time),
    "AsyncPhone.open_app": lambda of, time: of.phone.open_app("a.b", deadline=time),
    "AsyncPhone.close_app": lambda of, time: of.phone.close_app("a.b", deadline=time),
    "AsyncPhone.open_url": lambda of, time: of.phone.open_url("https://a.example", deadline=time),
    "AsyncPhone.install": lambda of, time: of.phone.install(package="a.b", deadline=time),
    "AsyncPhone.uninstall": lambda of, time: of.phone.uninstall("a.b", deadline=time),
    "AsyncPhone.hand_off": lambda of, time: of.phone.hand_off(message="Help.", deadline=time),
    "AsyncPhone.live": lambda of, time: of.phone.live(deadline=time),
    "AsyncPhone.record": lambda of, time: of.phone.record(deadline=time),
    "AsyncDevice.set_clipboard": lambda of, time: of.phone.device.set_clipboard("a", deadline=time),
    "AsyncDevice.set_location": lambda of, time: of.phone.device.set_location(1, 2, deadline=time),
    "AsyncDevice.reset_location": lambda of, time: of.phone.device.reset_location(deadline=time),
    "AsyncDevice.set_locale": lambda of, time: of.phone.device.set_locale("de-DE", deadline=time),
    "AsyncDevice.set_timezone": lambda of, time: of.phone.device.set_timezone("Europe/Berlin", deadline=time),
    "AsyncReports.open_notification": lambda of, time: of.phone.reports.open_notification("ntf_a", deadline=time),
    "AsyncReports.dismiss_notification": lambda of, time: of.phone.reports.dismiss_notification(
        "ntf_a", deadline=time
    ),
    "AsyncPermissions.set": lambda of, time: of.phone.permissions.set("a.b", grant=["a.b.C"], deadline=time),
    "AsyncFiles.write": lambda of, time: of.phone.files.write("/sdcard/a", "a", deadline=time),
    "AsyncFiles.delete": lambda of, time: of.phone.files.delete("/sdcard/a", deadline=time),
    "AsyncApps.upload": lambda of, time: of.client.apps.upload(b"PK", deadline=time),
    "AsyncApps.delete_upload": lambda of, time: of.client.apps.delete_upload("upl_a", deadline=time),
    "AsyncHandoff.cancel": lambda of, time: of.handoff.cancel(deadline=time),
    "AsyncRecording.stop": lambda of, time: of.recording.stop(deadline=time),
    "AsyncRecording.delete": lambda of, time: of.recording.delete(deadline=time),
    "AsyncSetup.start": lambda of, time: AsyncSetup.start(base_url=of.client.base_url, deadline=time),
    "AsyncSetup.key": lambda of, time: of.setup.key(deadline=time),
}
# Methods that send nothing, and a stream, which does not end.
OTHERS = {"AsyncPhonerack.aclose", "AsyncSetup.aclose", "AsyncPhonerack.events"}


def hang(seen: Seen) -> Reply:
    return Reply(200, {}, delay=60)


@pytest.mark.parametrize("name", [*READS, *WRITES])
async def test_ends_the_call(server: Server, name: str) -> None:
    server.answer = hang
    async with connect(server, max_retries=0) as client:
        with pytest.raises(PhonerackError) as caught:
            await {**READS, **WRITES}[name](Things(client), 0.1)
    # A person who has not answered does not mean that the network failed.
    assert caught.value.code == ("handoff_open" if name == "AsyncHandoff.done" else "timeout")
    assert isinstance(caught.value, PhonerackConnectionError) == (name != "AsyncHandoff.done")
    if name in READS:
        assert not caught.value.is_outcome_unknown
    else:
        # A write may still be carried out, unless the deadline passed before it was sent, as on a busy machine.
        assert caught.value.is_outcome_unknown or server.seen == []
    assert len(server.seen) <= 1


def test_has_been_tested_for_each_method() -> None:
    classes = [
        *(AsyncPhonerack, AsyncPhones, AsyncPhone, AsyncDevice, AsyncFiles, AsyncApps),
        *(AsyncHandoff, AsyncPermissions, AsyncRecording, AsyncReports, AsyncSetup, AsyncSteps),
    ]
    methods = {
        f"{each.__name__}.{name}"
        for each in classes
        for name, _ in inspect.getmembers(each, callable)
        if not name.startswith("_")
    }
    assert methods - OTHERS == set(READS) | set(WRITES)


async def test_is_the_shorter_one_of_deadline_and_timeout(server: Server) -> None:
    server.answer = hang
    async with connect(server) as client:
        for times in ({"deadline": 0.3, "timeout": 600.0}, {"deadline": 600.0, "timeout": 0.3}):
            with pytest.raises(PhonerackConnectionError, match="timeout"):
                await client.account(**times)


async def test_holds_for_the_wait_for_an_element_and_the_screen_after_it_together(server: Server) -> None:
    batch = {"results": [{"index": 0, "type": "wait_for", "ok": True, "ms": 1}], "completed": 1}
    server.answer = hang
    async with connect(server) as client:
        server.replies = [Reply(200, batch)]
        with pytest.raises(PhonerackConnectionError) as caught:
            await Things(client).phone.wait_for(text="Next", deadline=0.5)
    assert (caught.value.code, caught.value.is_outcome_unknown) == ("timeout", False)
    assert server.lines == [f"POST /v1/phones/{PHONE}/actions", f"GET /v1/phones/{PHONE}/observe"]


async def test_can_be_longer_than_a_timer_and_must_be_a_time(server: Server) -> None:
    server.answer = lambda seen: Reply(200, {"balance_usd": "1.000000"})
    async with connect(server) as client:
        for deadline in (1e12, float("inf")):
            assert (await client.account(deadline=deadline))["balance_usd"] == "1.000000"
        server.seen.clear()
        for deadline in (0, -1, float("nan")):
            with pytest.raises(ValueError, match="above 0"):
                await client.account(deadline=deadline)
    assert server.seen == []
