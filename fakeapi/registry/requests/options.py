"""Options of requests, and results of writes, as values without HTTP details."""

from dataclasses import dataclass, field

from fakeapi.machinery.meta.field_selector import FieldSelector
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.identity.users import THE_SERVER, User


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """The object, subresource or collection that a request addresses; parts missing in the path are empty."""

    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The options of a create, update, patch or apply."""

    manager: str
    """The field manager, by default from the user agent."""

    dry_run: bool = False

    validation: str = "Warn"
    """Field validation: Strict, Warn or Ignore."""

    force: bool = False
    """Whether an apply takes fields from other managers."""

    user: User = THE_SERVER
    """The client, or the server itself for its own writes."""

    given_manager: str = ""
    """The parameter fieldManager of the request, if any."""

    given_validation: str = ""
    """The parameter fieldValidation of the request, if any."""

    body_bytes: int = 0
    """The length of the body."""

    exact: bool = False
    """Whether drivers' opaque values in the answer keep their bytes."""

    patches: bool = False
    """Whether the request's verb is patch."""


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """The options of a delete; None for options that the client did not set."""

    dry_run: bool = False
    grace_seconds: int | None = None
    propagation: str | None = None
    orphan: bool | None = None
    uid: str | None = None
    resource_version: str | None = None
    user: User = THE_SERVER

    exact: bool = False
    """Whether drivers' opaque values in the answer keep their bytes."""


@dataclass(frozen=True, slots=True)
class ListOptions:
    """The options of a list.

    Missing selectors are None. `limit` 0 means all. `match` is resourceVersionMatch. `shards` is an unparsed
    shard selector.
    """

    labels: Selector | None = None
    fields: FieldSelector | None = None
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    match: str = ""
    shards: str = ""


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The options of a watch.

    Options that the client did not set are None; the server then chooses `timeout_seconds`. `match` is
    resourceVersionMatch. `shards` is an unparsed shard selector.
    """

    labels: Selector | None = None
    fields: FieldSelector | None = None
    resource_version: str = ""
    match: str = ""
    bookmarks: bool = False
    send_initial_events: bool | None = None
    timeout_seconds: int | None = None
    shards: str = ""


WARNINGS_MAX = 4096
"""Maximum number of warnings that a request collects; later ones are dropped.

The headers have room for this number of characters in all, as in k8s.io/apiserver
`pkg/endpoints/filters/warning.go`.
"""


@dataclass(slots=True)
class Warnings:
    """The texts of a request's Warning headers, in order and without duplicates."""

    texts: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Appends a text unless it is a duplicate or there are WARNINGS_MAX texts already."""
        if text not in self._seen and len(self.texts) < WARNINGS_MAX:
            self._seen.add(text)
            self.texts.append(text)


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The answer to a write."""

    body: bytes
    """The JSON of the object or Status."""

    created: bool = False
    """Whether the status code is 201."""

    accepted: bool = False
    """Whether the status code is 202."""

    is_status: bool = False
    """Whether the body is a Status, which is never printed as a table."""

    written: tuple[str, int, int] = ("", 0, 0)
    """The object's name, and its revisions before and after the write; 0 if it does not exist."""
