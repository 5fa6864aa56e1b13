"""Turns the API's objects into results and errors. Shared by the sync and the async client."""

from __future__ import annotations

import hashlib
import os
import pathlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Dict, Generic, Iterator, List, Literal, Mapping, Optional, TypeVar, Union, cast

from ._answers import ACTION_FAMILIES, fields_of
from ._generated import models
from .errors import ActionError, ApiError, OutcomeUnknownError, PhonerackConnectionError, PhonerackError
from .observation import Changes, Observation

T = TypeVar("T")

# States in which a phone does not become ready by itself. In other states, including unknown ones, the SDK waits.
ENDED = ("parking", "parked", "unavailable", "failed", "deleted")
# States of a hand-over request that has no answer yet.
OPEN = ("open", "taken")
# Seconds that one read waits in the service.
WAIT = 50
# Bytes of one part of a file, and between two reports.
PART = 1 << 20

# A path, or the bytes of an APK.
AppFile = Union[str, "os.PathLike[str]", bytes]


@dataclass(frozen=True)
class ActResult:
    results: List[models.ActionResult]
    # The screen after the last action. None: with `observe` as `none`, `screenshot`, `changes` or `auto`.
    observation: Optional[Observation]
    # With `observe` as `changes` or `auto`: the changes since the last screen. None: not requested, or nothing was read.
    changes: Optional[Changes]
    # The answer of the API.
    raw: models.ActionBatchResult


@dataclass(frozen=True)
class Page(Generic[T]):
    data: List[T]
    # None: the last page.
    next_cursor: Optional[str]


@dataclass(frozen=True)
class ReceivedKey:
    # Not in the text form, which logs show.
    api_key: str = field(repr=False)
    # The name of the project.
    project: str


@dataclass(frozen=True)
class Progress:
    part: Literal["uploading", "processing", "installing"]
    # 0 to 1 of the bytes while uploading, else None.
    fraction: Optional[float] = None


def snapshot_of(raw: models.ActionBatchResult) -> Optional[str]:
    """The snapshot of the screen after the batch. None: the answer has none."""
    return cast(Mapping[str, Any], raw.get("observation", {})).get("snapshot_id")


def act_result(
    raw: models.ActionBatchResult, request_id: Optional[str], is_compared: bool
) -> ActResult:
    """Raises ActionError for the first action that failed. `request_id`: of the batch."""
    seen = raw.get("observation")
    observation = Observation(cast(models.Observation, seen)) if seen is not None and "text" in seen else None
    for each in raw["results"]:
        if each["ok"]:
            continue
        error = cast(Mapping[str, Any], each.get("error", {}))
        code = fields_of(error)["code"]
        family, type = ACTION_FAMILIES.get(code, (ActionError, "invalid_request_error"))
        fields = fields_of({"type": type, **error})
        raise family(
            fields.pop("message"),
            index=each["index"],
            completed=raw["completed"],
            observation=observation,
            raw=raw,
            request_id=request_id,
            is_outcome_unknown=family is OutcomeUnknownError,
            **fields,
        )
    if not is_compared:
        return ActResult(raw["results"], observation, None, raw)
    changes = None if observation is None else Changes(cast(models.ObserveAnswer, observation.raw))
    return ActResult(raw["results"], None, changes, raw)


def is_ready(phone: models.Phone) -> bool:
    """Raises PhonerackError for a phone that does not become ready by itself."""
    if phone["status"] == "ready":
        return True
    if phone["status"] not in ENDED:
        return False
    failure = phone["failure"]
    raise PhonerackError(
        failure["message"] if failure else f"The phone is {phone['status']}.",
        code=failure["code"] if failure else "phone_not_running",
        type="conflict_error",
        next="Create another phone." if failure else "Start the phone.",
        details={"phone": phone["id"], "status": phone["status"]},
    )


def still_starting(phone_id: str) -> PhonerackConnectionError:
    """The error of a wait that reached its deadline. The phone exists, and is billed."""
    return PhonerackConnectionError(
        f"The phone {phone_id} was not ready before the timeout.",
        code="timeout",
        is_outcome_unknown=False,
        next=_billed(phone_id),
        details={"phone": phone_id},
    )


def still_open(handoff: models.CreatedHandoff, status: str) -> PhonerackError:
    """The error of a wait for a person that reached its deadline. It is not a connection error."""
    return PhonerackError(
        "No answer of the person arrived before the deadline.",
        code="handoff_open",
        type="conflict_error",
        retryable=True,
        next=f"The request is open until {handoff['expires_at']}: wait again with `done()`, "
        "or take it back with `cancel()`.",
        details={"handoff": handoff["id"], "status": status},
    )


def key_of(key: str, dead: str) -> str:
    """The idempotency key of the phone with this key, after the one with the ID `dead` has ended.

    Calls at the same moment find the same ended phone, so that they get the same idempotency key.
    """
    return "key-" + hashlib.sha256(f"{key}\n{dead}".encode()).hexdigest()


def _billed(phone_id: str) -> str:
    return (
        f"It may still become ready, and is billed then: read it with `phones.get({phone_id!r})`, "
        "and park it if it is not needed."
    )


@contextmanager
def after_write(phone_id: str) -> Iterator[None]:
    """Around the wait for a phone after a write that was carried out.

    Its errors name the phone, and are not retryable: a repeat of the call would create another phone, or renew the session.
    """
    try:
        yield
    except PhonerackError as error:
        failed = error
        if isinstance(error, PhonerackConnectionError):
            failed = PhonerackConnectionError(
                error.message,
                code=error.code,
                is_outcome_unknown=False,
                next=_billed(phone_id),
                details=error.details,
            )
        failed.details["phone"] = phone_id
        failed.retryable = False
        raise failed from error.__cause__


def maybe_created(error: PhonerackError, key: str) -> PhonerackError:
    """The error of a create. If a phone may exist, it names the key: a repeat with it creates no second phone."""
    if not error.is_outcome_unknown:
        return error
    next = f"The phone may have been created: call `create` again with `idempotency_key={key!r}`."
    details = {"idempotency_key": key}
    if isinstance(error, PhonerackConnectionError):
        return PhonerackConnectionError(
            error.message, code=error.code, is_outcome_unknown=True, next=next, details=details
        )
    return ApiError(
        error.message,
        code=error.code,
        type=error.type,
        next=next,
        details=details,
        status=error.status,
        request_id=error.request_id,
        is_outcome_unknown=True,
    )


def uploaded(upload: models.Upload) -> Optional[models.Upload]:
    """The upload once it is ready; None: it is still checked. Raises PhonerackError when it cannot be installed."""
    if upload["status"] == "ready":
        return upload
    if upload["status"] == "processing":
        return None
    error = upload["error"]
    raise PhonerackError(
        error["message"] if error else f"The upload is {upload['status']}.",
        code=error["code"] if error else upload["status"],
        type="invalid_request_error",
        next=error["next"] if error else None,
        details={"upload": upload["id"], "status": upload["status"]},
    )


def installed(installs: models.Installs, started: models.StartedInstall) -> Optional[models.InstallsDataItem]:
    """The install once it has succeeded; None: it is running. Raises PhonerackError when it failed."""
    name = started.get("install")
    for row in installs["data"]:
        if row["package"] != started["package"] if name is None else row["install"] != name:
            continue
        if row["status"] == "succeeded":
            return row
        if row["status"] == "failed":
            raise PhonerackError(
                f"The install of {row['package']} failed.",
                code=row["error"] or "install_failed",
                type="invalid_request_error",
                next=row["next"],
                details={"package": row["package"], "install": row["install"]},
            )
        return None
    return None


def recorded(recordings: models.Recordings, recording_id: str) -> models.Recording:
    """The current state of the recording. Raises PhonerackError when it failed or was deleted."""
    for each in recordings["data"]:
        if each["id"] == recording_id and each["status"] != "failed":
            return each
    is_listed = any(each["id"] == recording_id for each in recordings["data"])
    raise PhonerackError(
        "The recording failed." if is_listed else "The recording was deleted.",
        code="recording_failed",
        type="provider_error",
        details={"recording": recording_id},
    )


class Source:
    """The bytes of a file to send."""

    def __init__(self, file: AppFile) -> None:
        self._file = file
        self.size = len(file) if isinstance(file, bytes) else pathlib.Path(file).stat().st_size

    def check_size(self, most: int) -> None:
        if self.size > most:
            raise PhonerackError(
                f"The file has {self.size} bytes; at most {most} are allowed.",
                code="payload_too_large",
                type="invalid_request_error",
                details={"max_bytes": most},
            )

    def parts(self) -> Iterator[bytes]:
        if isinstance(self._file, bytes):
            for start in range(0, len(self._file), PART):
                yield self._file[start : start + PART]
            return
        with open(self._file, "rb") as opened:
            while True:
                part = opened.read(PART)
                if not part:
                    return
                yield part


def given(**fields: Any) -> Dict[str, Any]:
    """Drops fields without a value, which the API would refuse."""
    return {name: value for name, value in fields.items() if value is not None}
