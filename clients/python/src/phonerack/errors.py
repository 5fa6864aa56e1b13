"""The errors of the SDK: a class for each family of the API, one for requests without an answer, and errors of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

if TYPE_CHECKING:
    from ._generated.models import ActionBatchResult
    from .observation import Observation


class PhonerackError(Exception):
    """A failed call. `code` names the exact error, such as `target_not_found`; new codes may be added."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        type: str,
        next: Optional[str] = None,
        retryable: bool = False,
        details: Optional[Mapping[str, Any]] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        is_outcome_unknown: bool = False,
    ) -> None:
        super().__init__(message if next is None else f"{message} {next}")
        self.message = message
        self.code = code
        # The family, such as `conflict_error`.
        self.type = type
        # The next step, as a sentence. None: the API has no advice.
        self.next = next
        # Whether the same request may succeed later without a change.
        self.retryable = retryable
        self.details: Dict[str, Any] = dict(details or {})
        # HTTP status. None: no answer, or the error of one action.
        self.status = status
        # The ID of the request, for the operator. None: no answer arrived.
        self.request_id = request_id
        # True: the request or the action may have been carried out. Read the state of the phone before you send it
        # again.
        self.is_outcome_unknown = is_outcome_unknown or code == "action_outcome_unknown"

    def to_dict(self) -> Dict[str, Any]:
        """The `error` of the API's envelope."""
        return {
            "type": self.type,
            "code": self.code,
            "message": self.message,
            "retryable": self.retryable,
            "next": self.next,
            "request_id": self.request_id,
            "details": self.details,
        }

    def __reduce__(self) -> Any:
        # The default calls the class with the text alone, which fails for keyword arguments.
        return _restore, (self.__class__, self.args, dict(self.__dict__))


def _restore(cls: type, args: Any, fields: Dict[str, Any]) -> Any:
    error = cls.__new__(cls, *args)
    error.__dict__.update(fields)
    return error


class InvalidRequestError(PhonerackError):
    """The request is not valid."""


class AuthenticationError(PhonerackError):
    """The API key is missing, unknown, expired or revoked."""


class PermissionDeniedError(PhonerackError):
    """The API key does not allow the request."""


class NotFoundError(PhonerackError):
    """The phone, file, app or upload does not exist."""


class ConflictError(PhonerackError):
    """The state of the phone or the project does not allow the request."""


class BillingError(PhonerackError):
    """The credit or the spending limit does not cover the request."""


class RateLimitError(PhonerackError):
    """Too many requests."""


class ProviderError(PhonerackError):
    """The phone, or the service that holds it, failed."""


class ApiError(PhonerackError):
    """The service itself failed, or the answer does not come from Phonerack."""


class PhonerackConnectionError(PhonerackError):
    """No answer arrived: the network failed, or the deadline passed. `code` is `connection_failed` or `timeout`."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        is_outcome_unknown: bool,
        next: Optional[str] = None,
        details: Optional[Mapping[str, Any]] = None,
    ) -> None:
        super().__init__(
            message,
            code=code,
            type="connection_error",
            next=next or (OUTCOME_UNKNOWN if is_outcome_unknown else None),
            retryable=not is_outcome_unknown,
            details=details,
            is_outcome_unknown=is_outcome_unknown,
        )

    def after_unknown(self) -> PhonerackConnectionError:
        """The same error for a call whose earlier attempt may have been carried out."""
        if self.is_outcome_unknown:
            return self
        return PhonerackConnectionError(
            self.message, code=self.code, is_outcome_unknown=True, details=self.details
        )


class ActionError(PhonerackError):
    """An action of a batch failed, and the later actions did not run. Its subclasses are families of codes."""

    def __init__(
        self,
        message: str,
        *,
        index: int,
        completed: int,
        observation: Optional[Observation] = None,
        raw: Optional[ActionBatchResult] = None,
        **fields: Any,
    ) -> None:
        super().__init__(message, **fields)
        # Index of the failed action in the batch, from 0.
        self.index = index
        # Number of earlier actions that were carried out.
        self.completed = completed
        # The screen after the failure. None: it could not be read.
        self.observation = observation
        # The answer of the API.
        self.raw = raw


class TargetError(ActionError):
    """The target does not lead to one element. Nothing was sent for this action."""


class TargetNotFoundError(TargetError):
    """No element matches. `details["candidates"]` lists similar elements."""


class AmbiguousTargetError(TargetError):
    """Several elements match. `details["candidates"]` lists them."""


class StaleSnapshotError(TargetError):
    """The screen has changed since the snapshot of the target."""


class NoFocusedFieldError(TargetError):
    """The action types text without a target, but no field has the focus."""


class WaitTimeoutError(ActionError):
    """The condition was not met before the timeout."""


class HandoffError(ActionError):
    """The action is reserved for a person, or a person controls the phone. The action was not carried out."""


class PhoneUnavailableError(ActionError):
    """The phone is unreachable, or did not respond before the timeout. Nothing was sent for this action."""


class OutcomeUnknownError(ActionError):
    """The action may have been carried out: `is_outcome_unknown` is True. Observe before you send it again."""


OUTCOME_UNKNOWN = (
    "The request may have been carried out: read the state of the phone before you send it again."
)
