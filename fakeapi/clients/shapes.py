"""Checks the fields and types of JSON responses, because a broken or hostile server can send any JSON."""

from typing import Annotated, Any, TypeVar

import msgspec

from fakeapi.clients.errors import StatusError
from fakeapi.machinery.json_types import Object

T = TypeVar("T")

Name = Annotated[str, msgspec.Meta(min_length=1)]
"""A non-empty name. An empty name cannot be a segment of a path."""


class GroupVersion(msgspec.Struct):
    groupVersion: Name  # noqa: N815 - as on the wire


class Group(msgspec.Struct):
    versions: list[GroupVersion]
    preferredVersion: GroupVersion | None = None  # noqa: N815 - as on the wire


class GroupList(msgspec.Struct):
    """The fields of an APIGroupList that clients need."""

    groups: list[Group] | None = None


class Resource(msgspec.Struct):
    name: Name
    kind: Name
    namespaced: bool
    singularName: str = ""  # noqa: N815 - as on the wire
    shortNames: list[str] | None = None  # noqa: N815 - as on the wire
    verbs: list[str] | None = None


class ResourceList(msgspec.Struct):
    """The fields of an APIResourceList that clients need."""

    resources: list[Resource] | None = None


class _ResponseKind(msgspec.Struct):
    kind: str = ""


class _Subresource(msgspec.Struct):
    subresource: str


class AggregatedResource(msgspec.Struct):
    resource: Name
    responseKind: _ResponseKind | None = None  # noqa: N815 - as on the wire
    scope: str = ""
    singularResource: str = ""  # noqa: N815 - as on the wire
    verbs: list[str] = []
    shortNames: list[str] = []  # noqa: N815 - as on the wire
    subresources: list[_Subresource] = []


class _AggregatedVersion(msgspec.Struct):
    version: Name
    resources: list[AggregatedResource] = []


class _GroupMetadata(msgspec.Struct):
    name: str = ""


class _AggregatedGroup(msgspec.Struct):
    metadata: _GroupMetadata
    versions: list[_AggregatedVersion] = []


class AggregatedList(msgspec.Struct):
    """The fields of an APIGroupDiscoveryList that clients need."""

    items: list[_AggregatedGroup] = []


class _ListMetadata(msgspec.Struct):
    token: str | None = msgspec.field(name="continue", default=None)


class Page(msgspec.Struct):
    """A page of a list. `items` can contain any JSON; `object_of` checks an item."""

    items: list[Any] | None = None
    metadata: _ListMetadata | None = None

    @property
    def token(self) -> str | None:
        """The continue token for the next page; None or "" on the last page."""
        return self.metadata.token if self.metadata is not None else None


class _ObjectMeta(msgspec.Struct):
    name: str
    namespace: str | None = None
    uid: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    ownerReferences: list[dict[str, Any]] | None = None  # noqa: N815 - as on the wire
    managedFields: list[dict[str, Any]] | None = None  # noqa: N815 - as on the wire


class _Object(msgspec.Struct):
    apiVersion: str  # noqa: N815 - as on the wire
    kind: str
    metadata: _ObjectMeta


def checked(body: Any, shape: type[T]) -> T:
    """Converts decoded JSON to the type `shape`. Drops unknown fields.

    Raises StatusError with code 0 if a field is missing or has a wrong type.
    """
    try:
        return msgspec.convert(body, shape)
    except msgspec.ValidationError as error:
        raise malformed(f"is not a valid {shape.__name__}: {error}") from error


def object_of(body: Any, api_version: str, kind: str) -> Object:
    """Checks an object from a response or a list, and returns it.

    `api_version` and `kind`: added if the object lacks `apiVersion` or `kind`. Raises StatusError with code 0
    if `body` is not an object with a name and valid metadata.
    """
    if not isinstance(body, dict):
        raise malformed(f"is not a {kind} but {body!r:.80}")
    obj = {"apiVersion": api_version, "kind": kind, **body}
    try:
        stated = msgspec.convert(obj, _Object)
    except msgspec.ValidationError as error:
        raise malformed(f"is not a {kind}: {error}") from error
    if not stated.metadata.name:
        raise malformed(f"is not a {kind}: it has no name")
    return obj


def malformed(why: str) -> StatusError:
    """Returns the StatusError, with code 0, for a malformed response.

    `why`: the end of the message after "the response", such as "is not a Pod".
    """
    return StatusError.without_response("Unknown", f"the response {why}")
