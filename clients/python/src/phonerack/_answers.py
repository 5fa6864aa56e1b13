"""Turns answers into values and errors. Shared by the sync and the async client."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, Mapping, Optional, Tuple, Type, TypeVar, cast

from . import errors
from .errors import PhonerackError
from ._request import Request

T = TypeVar("T")

FAMILIES: Mapping[str, Type[PhonerackError]] = {
    "invalid_request_error": errors.InvalidRequestError,
    "authentication_error": errors.AuthenticationError,
    "permission_error": errors.PermissionDeniedError,
    "not_found_error": errors.NotFoundError,
    "conflict_error": errors.ConflictError,
    "billing_error": errors.BillingError,
    "rate_limit_error": errors.RateLimitError,
    "provider_error": errors.ProviderError,
    "api_error": errors.ApiError,
}

# The class and `type` of each code. A failed action has no `type` in the answer, so the table gives the type that the
# code has in other answers.
ACTION_FAMILIES: Mapping[str, Tuple[Type[errors.ActionError], str]] = {
    "target_not_found": (errors.TargetNotFoundError, "invalid_request_error"),
    "ambiguous_target": (errors.AmbiguousTargetError, "invalid_request_error"),
    "stale_snapshot": (errors.StaleSnapshotError, "invalid_request_error"),
    "no_focused_field": (errors.NoFocusedFieldError, "invalid_request_error"),
    "wait_timeout": (errors.WaitTimeoutError, "invalid_request_error"),
    "handoff_required": (errors.HandoffError, "conflict_error"),
    "phone_controlled": (errors.HandoffError, "conflict_error"),
    "phone_unavailable": (errors.PhoneUnavailableError, "provider_error"),
    "provider_timeout": (errors.PhoneUnavailableError, "provider_error"),
    "provider_error": (errors.ActionError, "provider_error"),
    "action_outcome_unknown": (errors.OutcomeUnknownError, "provider_error"),
    "internal_error": (errors.OutcomeUnknownError, "api_error"),
    "app_not_found": (errors.ActionError, "not_found_error"),
}


@dataclass(frozen=True)
class Answer:
    """An HTTP answer that was read completely."""

    status: int
    body: bytes
    retry_after: Optional[str] = None
    request_id: Optional[str] = None
    # Names in lower case.
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


def value_of(request: Request[T], answer: Answer) -> T:
    """The value of a successful answer."""
    if request.answer == "bytes":
        return cast(T, answer.body)
    value = _json_of(answer)
    # Each answer of the API that is not a file is an object.
    if not isinstance(value, dict):
        form = "a body that is not a JSON object"
        raise unexpected(answer.status, form, is_read=request.is_read, request_id=answer.request_id)
    return cast(T, value)


def event_of(data: str) -> Dict[str, Any]:
    """The event of a frame. Raises ApiError `unexpected_answer` for data that is not a JSON object."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise unexpected(200, "an event that is not a JSON object", is_read=True)
    return value


def error_of(answer: Answer, *, is_read: bool) -> PhonerackError:
    """The error of an answer. Without the API's envelope, as from a proxy, its code is `unexpected_answer`."""
    parsed = _json_of(answer)
    error = parsed.get("error") if isinstance(parsed, dict) else None
    # A proxy's error often has a code too.
    if not isinstance(error, dict) or any(_text(error, name) is None for name in ("type", "code", "message")):
        form = "without an error of Phonerack"
        return unexpected(answer.status, form, is_read=is_read, request_id=answer.request_id)
    fields = fields_of(error)
    family = FAMILIES.get(fields["type"], PhonerackError)
    return family(fields.pop("message"), **fields, status=answer.status, request_id=_text(error, "request_id"))


def _json_of(answer: Answer) -> Any:
    """None for a body that is not JSON."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        return None


def unexpected(
    status: int, form: str, *, is_read: bool, request_id: Optional[str] = None
) -> errors.ApiError:
    """`form`: what is unexpected, such as "without an error of Phonerack"."""
    # An error of a proxy does not show whether a write was carried out.
    is_unknown = not is_read and not 300 <= status < 500
    advice = "Check the base URL, and proxies in between."
    return errors.ApiError(
        f"The server answered with status {status} and {form}.",
        code="unexpected_answer",
        type="api_error",
        next=f"{errors.OUTCOME_UNKNOWN} {advice}" if is_unknown else advice,
        retryable=is_read and 502 <= status <= 504,
        status=status,
        request_id=request_id,
        is_outcome_unknown=is_unknown,
    )


def after_unknown(error: PhonerackError, key: Optional[str]) -> PhonerackError:
    """The last error of a write of which an attempt may have been carried out. `key`: its idempotency key."""
    if key is not None:
        error.details["idempotency_key"] = key
    if isinstance(error, errors.PhonerackConnectionError):
        return error.after_unknown()
    # An error of the API keeps its code, which names the failure.
    if error.is_outcome_unknown or error.code != "unexpected_answer":
        return error
    return errors.ApiError(
        error.message,
        code=error.code,
        type=error.type,
        next=f"{errors.OUTCOME_UNKNOWN} {error.next}",
        details=error.details,
        status=error.status,
        request_id=error.request_id,
        is_outcome_unknown=True,
    )


def fields_of(error: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields of an envelope or of a failed action, which has no `type`. Missing fields get a default."""
    details = error.get("details")
    return {
        "code": _text(error, "code") or "unknown",
        "type": _text(error, "type") or "invalid_request_error",
        "message": _text(error, "message") or "The request failed.",
        "next": _text(error, "next"),
        "retryable": error.get("retryable") is True,
        "details": details if isinstance(details, dict) else {},
    }


def _text(error: Mapping[str, Any], name: str) -> Optional[str]:
    value = error.get(name)
    return value if isinstance(value, str) else None
