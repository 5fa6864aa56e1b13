"""Rent real Android phones, read their screens, act on them, hand them to people."""

from ._async.apps import AsyncApps
from ._async.device import AsyncDevice
from ._async.files import AsyncFiles
from ._async.handoff import AsyncHandoff
from ._async.pages import AsyncPages
from ._async.phone import AsyncPhone
from ._async.phonerack import AsyncPhonerack
from ._async.phones import AsyncPhones
from ._async.recording import AsyncRecording
from ._async.reports import AsyncPermissions, AsyncReports
from ._async.setup import AsyncSetup
from ._async.steps import AsyncSteps
from ._async.webhooks import AsyncWebhooks
from ._generated import models
from ._results import ActResult, Page, Progress, ReceivedKey
from ._sync.apps import Apps
from ._sync.device import Device
from ._sync.files import Files
from ._sync.handoff import Handoff
from ._sync.pages import Pages
from ._sync.phone import Phone
from ._sync.phonerack import Phonerack
from ._sync.phones import Phones
from ._sync.recording import Recording
from ._sync.reports import Permissions, Reports
from ._sync.setup import Setup
from ._sync.steps import Steps
from ._sync.webhooks import Webhooks
from ._version import __version__
from .actions import (
    Action,
    back,
    clear,
    close_app,
    double_tap,
    drag,
    hide_keyboard,
    home,
    key,
    long_press,
    open_app,
    open_url,
    pinch,
    recents,
    scroll,
    scroll_to,
    shell,
    swipe,
    tap,
    type_text,
    wait,
    wait_for,
    wait_idle,
)
from .errors import (
    ActionError,
    AmbiguousTargetError,
    ApiError,
    AuthenticationError,
    BillingError,
    ConflictError,
    HandoffError,
    InvalidRequestError,
    NoFocusedFieldError,
    NotFoundError,
    OutcomeUnknownError,
    PermissionDeniedError,
    PhoneUnavailableError,
    PhonerackConnectionError,
    PhonerackError,
    ProviderError,
    RateLimitError,
    StaleSnapshotError,
    TargetError,
    TargetNotFoundError,
    WaitTimeoutError,
)
from .observation import Changes, Element, Observation
from .screenshot import Screenshot
from .targets import Target, target

__all__ = [
    "__version__",
    "Action",
    "ActionError",
    "ActResult",
    "AmbiguousTargetError",
    "ApiError",
    "Apps",
    "AsyncApps",
    "AsyncDevice",
    "AsyncFiles",
    "AsyncHandoff",
    "AsyncPages",
    "AsyncPermissions",
    "AsyncPhone",
    "AsyncPhonerack",
    "AsyncPhones",
    "AsyncRecording",
    "AsyncReports",
    "AsyncSetup",
    "AsyncSteps",
    "AsyncWebhooks",
    "AuthenticationError",
    "back",
    "BillingError",
    "Changes",
    "clear",
    "close_app",
    "ConflictError",
    "Device",
    "double_tap",
    "drag",
    "Element",
    "Files",
    "Handoff",
    "HandoffError",
    "hide_keyboard",
    "home",
    "InvalidRequestError",
    "key",
    "long_press",
    "models",
    "NoFocusedFieldError",
    "NotFoundError",
    "Observation",
    "open_app",
    "open_url",
    "OutcomeUnknownError",
    "Page",
    "Pages",
    "PermissionDeniedError",
    "Permissions",
    "Phone",
    "Phonerack",
    "PhonerackConnectionError",
    "PhonerackError",
    "Phones",
    "PhoneUnavailableError",
    "pinch",
    "Progress",
    "ProviderError",
    "RateLimitError",
    "ReceivedKey",
    "recents",
    "Recording",
    "Reports",
    "Screenshot",
    "scroll",
    "scroll_to",
    "Setup",
    "shell",
    "StaleSnapshotError",
    "Steps",
    "swipe",
    "tap",
    "Target",
    "target",
    "TargetError",
    "TargetNotFoundError",
    "type_text",
    "wait",
    "wait_for",
    "wait_idle",
    "WaitTimeoutError",
    "Webhooks",
]
