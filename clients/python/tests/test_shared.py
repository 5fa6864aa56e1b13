"""Shared parts without a server: errors, settings, requests and the decision about repeats."""

from __future__ import annotations

import builtins
import copy
import json
import pathlib
import pickle
from typing import Any, Dict, Optional, cast

import pytest

import phonerack
from phonerack import ActionError, PhonerackConnectionError, PhonerackError, TargetNotFoundError
from phonerack._config import config_of, origin_of
from phonerack._policy import pause_before_repeat
from phonerack._request import Request
from phonerack._results import act_result

# The tests of both SDKs read this table.
ACTION_ERRORS = json.loads(
    (pathlib.Path(__file__).parents[2] / "contract" / "action-errors.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize(
    "error",
    [
        PhonerackError("No.", code="a", type="b", next="Wait.", details={"x": [1]}, status=409, request_id="r"),
        PhonerackConnectionError("No.", code="timeout", is_outcome_unknown=True),
        ActionError("No.", index=1, completed=1, code="new_code", type="invalid_request_error"),
        TargetNotFoundError("No.", index=1, completed=1, code="target_not_found", type="invalid_request_error"),
    ],
)
def test_errors_can_be_sent_between_processes(error: PhonerackError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert (str(again), vars(again)) == (str(error), vars(error))


def test_all_errors_are_of_one_class() -> None:
    named = [getattr(phonerack, name) for name in phonerack.__all__ if name.endswith("Error")]
    assert len(named) == 21
    assert all(issubclass(each, PhonerackError) for each in named)
    # Builtin names of Python stay usable.
    assert not any(hasattr(builtins, each.__name__) for each in named)


def failed(error: Dict[str, Any]) -> ActionError:
    done = {"index": 0, "type": "home", "ok": True, "ms": 1}
    result = {"index": 1, "type": "tap", "ok": False, "ms": 3, "error": error}
    with pytest.raises(ActionError) as caught:
        act_result(cast(Any, {"results": [done, result], "completed": 1}), "req_aaaaaaaaaaaa", False)
    return caught.value


@pytest.mark.parametrize("row", ACTION_ERRORS, ids=lambda row: str(row["code"]))
def test_gives_each_code_of_an_action_its_class(row: Dict[str, Any]) -> None:
    fields = {"message": "It failed.", "retryable": False, "next": "Observe.", "details": {"a": 1}}
    error = failed({"code": row["code"], **fields})
    classes = [each.__name__ for each in type(error).__mro__ if issubclass(each, PhonerackError)]
    assert classes == row["classes"]
    assert (error.code, error.type, error.is_outcome_unknown) == (
        row["code"],
        row["type"],
        row["is_outcome_unknown"],
    )
    assert (error.index, error.completed, error.request_id) == (1, 1, "req_aaaaaaaaaaaa")
    assert (error.message, error.next, error.details) == ("It failed.", "Observe.", {"a": 1})


def test_each_class_of_actions_has_a_code() -> None:
    named = [getattr(phonerack, name) for name in phonerack.__all__ if name.endswith("Error")]
    of_actions = {each.__name__ for each in named if issubclass(each, ActionError)}
    assert of_actions == {name for row in ACTION_ERRORS for name in row["classes"]} - {"PhonerackError"}


def test_the_readme_lists_each_code_with_its_class() -> None:
    readme = (pathlib.Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for row in ACTION_ERRORS:
        if row["code"] != "a_code_of_a_later_release":
            lines = [each for each in readme.splitlines() if each.startswith(f"| `{row['classes'][0]}`")]
            assert any(f"`{row['code']}`" in each for each in lines), row["code"]


def test_gives_a_failed_action_without_fields_defaults_and_prefers_the_type_of_the_api() -> None:
    error = failed({})
    assert (type(error), error.code, error.type) == (ActionError, "unknown", "invalid_request_error")
    assert failed({"code": ["a"]}).code == "unknown"
    assert failed({"code": "wait_timeout", "type": "new_error"}).type == "new_error"


def test_all_names_exist_and_are_sorted() -> None:
    assert all(hasattr(phonerack, name) for name in phonerack.__all__)
    assert phonerack.__all__ == sorted(phonerack.__all__, key=lambda name: (name.lower(), name))


def test_the_text_of_settings_does_not_show_the_key() -> None:
    config = config_of("prk_secret", "https://phones.example", 3)
    message = config.message(Request("GET", "/v1/account"))
    assert message.headers["authorization"] == "Bearer prk_secret"
    assert "prk_secret" not in repr(config) + repr(message)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://phones.example", "https://phones.example"),
        ("https://phones.example:443/v1/", "https://phones.example"),
        ("https://Phones.Example:8443", "https://phones.example:8443"),
        ("http://[::1]:80/", "http://[::1]"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
    ],
)
def test_reads_the_origin_of_a_base_url(url: str, origin: str) -> None:
    assert origin_of(url) == config_of("prk_a", url, 3).origin == origin


def error_with(status: Optional[int], retryable: bool = False) -> PhonerackError:
    return PhonerackError("No.", code="a", type="b", status=status, retryable=retryable)


@pytest.mark.parametrize(
    ("status", "retryable", "retry_after", "read", "action"),
    [
        (None, True, None, True, False),
        (400, False, None, False, False),
        (404, False, "1", False, False),
        (409, True, None, True, False),
        (409, True, "1", True, False),
        (429, True, None, True, False),
        (429, True, "1", True, True),
        (429, True, "61", False, False),
        (500, False, None, False, False),
        (500, True, None, True, False),
        (502, False, None, True, False),
        (503, True, None, True, False),
        (503, True, "0", True, True),
        (503, False, "later", True, False),
        (504, False, "1", True, False),
        (505, False, None, False, False),
    ],
)
def test_decides_about_repeats(
    status: Optional[int], retryable: bool, retry_after: Optional[str], read: bool, action: bool
) -> None:
    for is_safe, wanted in ((True, read), (False, action)):
        pause = pause_before_repeat(
            error_with(status, retryable), retry_after, is_safe=is_safe, attempt=0, random=0.5
        )
        assert (pause is not None) == wanted


def test_pauses_grow_to_a_limit_and_vary() -> None:
    def pauses(random: float) -> "list[Optional[float]]":
        return [
            pause_before_repeat(error_with(503), None, is_safe=True, attempt=attempt, random=random)
            for attempt in range(6)
        ]

    assert pauses(0) == [0.25, 0.5, 1, 2, 4, 4]
    assert pauses(1) == [0.5, 1, 2, 4, 8, 8]
