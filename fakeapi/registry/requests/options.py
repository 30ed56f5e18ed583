"""Options of requests, and results of writes, as values that know no HTTP."""

from dataclasses import dataclass, field

from fakeapi.machinery.meta.field_selector import FieldSelector
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.identity.users import THE_SERVER, User


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """The object, subresource or collection of a request; parts that the path does not have are empty."""

    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """`manager` is the field manager, or its default from the user agent; `validation` is Strict, Warn or
    Ignore. `user` is the client, or the server itself where it writes on its own behalf. `given_manager` and
    `given_validation` are what the client said, empty where it said nothing. `body_bytes` is the
    length of the body. `exact`: the answer has drivers' own values to the byte, as `Resource.json_of` says.
    `patches`: the request's verb is patch.
    """

    manager: str
    dry_run: bool = False
    validation: str = "Warn"
    force: bool = False
    user: User = THE_SERVER
    given_manager: str = ""
    given_validation: str = ""
    body_bytes: int = 0
    exact: bool = False
    patches: bool = False


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """`propagation` and `orphan` are None where the client left them open. `exact` as in WriteOptions."""

    dry_run: bool = False
    grace_seconds: int | None = None
    propagation: str | None = None
    orphan: bool | None = None
    uid: str | None = None
    resource_version: str | None = None
    user: User = THE_SERVER
    exact: bool = False


@dataclass(frozen=True, slots=True)
class ListOptions:
    """Selectors are None where the client gave none. `limit` 0 means all. `shards` is a shard selector, not
    yet parsed.
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
    """None: the server chooses `timeout_seconds`, or the client did not set `send_initial_events`. `shards`
    is a shard selector, not yet parsed.
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
"""Texts that are kept. Headers show as many characters of them in all; what comes later is dropped, as in
k8s.io/apiserver `pkg/endpoints/filters/warning.go`.
"""


@dataclass(slots=True)
class Warnings:
    """Texts of Warning headers, in the order in which they came up, each once."""

    texts: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def add(self, text: str) -> None:
        """Appends a text that is not there yet, up to WARNINGS_MAX of them."""
        if text not in self._seen and len(self.texts) < WARNINGS_MAX:
            self._seen.add(text)
            self.texts.append(text)


@dataclass(frozen=True, slots=True)
class WriteResult:
    """An object to answer with, as JSON; `created` for a 201, `accepted` for a 202. `is_status`: it is a
    Status, which no Table shows. `written`: the object's name, and its revisions before and after; 0 where it
    is not there.
    """

    body: bytes
    created: bool = False
    accepted: bool = False
    is_status: bool = False
    written: tuple[str, int, int] = ("", 0, 0)
