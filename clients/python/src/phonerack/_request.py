"""A request of the API as data. Shared by the sync and the async client."""

from __future__ import annotations

import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Generic, List, Literal, Mapping, Optional, Tuple, TypeVar, Union

# No value of this type is put into a request.
T_co = TypeVar("T_co", covariant=True)

QueryValue = Union[str, int, bool, Mapping[str, str], None]


@dataclass(frozen=True)
class Request(Generic[T_co]):
    """`T_co`: the type of the answer."""

    method: str
    path: str
    query: Mapping[str, QueryValue] = field(default_factory=dict)
    json: Optional[Mapping[str, Any]] = None
    content: Optional[bytes] = None
    idempotency_key: Optional[str] = None
    answer: Literal["json", "bytes"] = "json"

    @property
    def is_safe(self) -> bool:
        """Whether a repeat has no further effect: a read, or a request with an idempotency key."""
        return self.is_read or self.idempotency_key is not None

    @property
    def is_read(self) -> bool:
        return self.method in ("GET", "HEAD")

    @property
    def target(self) -> str:
        """Path and query."""
        pairs = query_pairs(self.query)
        return f"{self.path}?{urllib.parse.urlencode(pairs)}" if pairs else self.path


def query_pairs(query: Mapping[str, QueryValue]) -> List[Tuple[str, str]]:
    """The parameters that have a value. A mapping becomes `name[key]=value`."""
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        if value is None:
            continue
        if isinstance(value, Mapping):
            pairs += [(f"{name}[{key}]", each) for key, each in value.items()]
        elif isinstance(value, bool):
            pairs.append((name, "true" if value else "false"))
        else:
            pairs.append((name, str(value)))
    return pairs


def path_of(template: str, **parts: str) -> str:
    """A path with its parts. A part stays one segment of the path."""
    for part in parts.values():
        if part in ("", ".", ".."):
            raise ValueError(f"{part!r} is not an ID.")
    return template.format(**{name: urllib.parse.quote(part, safe="") for name, part in parts.items()})
