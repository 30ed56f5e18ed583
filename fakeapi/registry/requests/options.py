"""The options of requests and the results of writes, independent of HTTP."""

import msgspec

from fakeapi.machinery.meta.field_selector import FieldSelector
from fakeapi.machinery.meta.label_selector import Selector
from fakeapi.registry.identity.users import THE_SERVER, User


class ObjectReference(msgspec.Struct, frozen=True):
    """The object, subresource or collection in the path of a request; "" for parts that the path lacks."""

    namespace: str = ""
    name: str = ""
    subresource: str = ""


class WriteOptions(msgspec.Struct, frozen=True):
    """The options of a create, update, patch or apply."""

    manager: str
    """The field manager of the write.

    If the request names no field manager, the name comes from the user agent.
    """

    dry_run: bool = False

    validation: str = "Warn"
    """The field validation mode: Strict, Warn or Ignore."""

    force: bool = False
    """Whether an apply may take over fields from other field managers."""

    user: User = THE_SERVER
    """The user that sent the request, or the server itself for its own writes."""

    given_manager: str = ""
    """The query parameter fieldManager; "" if the request has none."""

    given_validation: str = ""
    """The query parameter fieldValidation; "" if the request has none."""

    body_bytes: int = 0
    """The length of the request body in bytes."""

    exact: bool = False
    """Whether RawExtension values in the response keep their original bytes instead of compact JSON."""

    patches: bool = False
    """Whether the request's verb is patch."""


class DeleteOptions(msgspec.Struct, frozen=True):
    """The options of a delete request.

    Options that the client did not set are None; `dry_run` is then False.
    """

    dry_run: bool = False
    grace_seconds: int | None = None
    propagation: str | None = None
    orphan: bool | None = None
    uid: str | None = None
    resource_version: str | None = None
    user: User = THE_SERVER

    exact: bool = False
    """Whether RawExtension values in the response keep their original bytes instead of compact JSON."""


class ListOptions(msgspec.Struct, frozen=True):
    """The options of a list request.

    - `labels`, `fields`: the selectors; None if the request has none.
    - `limit`: the maximum number of items in the response; 0 means no limit.
    - `match`: the query parameter resourceVersionMatch.
    - `shards`: the unparsed shard selector; "" if the request has none.
    """

    labels: Selector | None = None
    fields: FieldSelector | None = None
    limit: int = 0
    continue_token: str = ""
    resource_version: str = ""
    match: str = ""
    shards: str = ""


class WatchOptions(msgspec.Struct, frozen=True):
    """The options of a watch request. Options that the client did not set are None, "" or False.

    - `match`: the query parameter resourceVersionMatch.
    - `bookmarks`: whether the client accepts BOOKMARK events.
    - `timeout_seconds`: the length of the watch. If None, the server chooses the length.
    - `shards`: the unparsed shard selector.
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
"""Maximum number of warnings for one request. The server drops further warnings.

In k8s.io/apiserver `pkg/endpoints/filters/warning.go`, 4096 is the maximum number of characters of all
Warning headers together.
"""


class Warnings(msgspec.Struct):
    """The texts of a request's Warning headers, in order and without duplicates."""

    texts: list[str] = msgspec.field(default_factory=list)
    _seen: set[str] = msgspec.field(default_factory=set)

    def add(self, text: str) -> None:
        """Appends a warning, unless it is empty or a duplicate, or the list has WARNINGS_MAX texts."""
        if text and text not in self._seen and len(self.texts) < WARNINGS_MAX:
            self._seen.add(text)
            self.texts.append(text)


class WriteResult(msgspec.Struct, frozen=True):
    """The response to a write."""

    body: bytes
    """The JSON of the object or Status."""

    created: bool = False
    """Whether the status code is 201."""

    accepted: bool = False
    """Whether the status code is 202."""

    is_status: bool = False
    """Whether the body is a Status, which is never printed as a table."""

    written: tuple[str, int, int] = ("", 0, 0)
    """(name, revision before the write, revision after the write) of the object.

    A revision is 0 if the object did not exist at that time.
    """
