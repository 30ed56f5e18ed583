"""Reads verb, object and resourceVersions of an exchange, without decoding its bodies completely."""

from typing import NamedTuple

import msgspec

from fakeapi.machinery.meta import request_info
from fakeapi.traces.analysis.resource_path import NAMESPACES, ResourcePath, resource_path
from fakeapi.traces.model import Exchange

WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
VERSION_DIGITS = 20
"""Maximum number of digits of a resourceVersion, which is a 64-bit number."""

COLLECTIONS = frozenset({"list", "watch", "deletecollection"})
"""The verbs that concern a collection, not one object."""


class Metadata(msgspec.Struct):
    """The fields of an object's or list's metadata that the analysis decodes."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    version: str = msgspec.field(default="", name="resourceVersion")
    deleted: str | None = msgspec.field(default=None, name="deletionTimestamp")
    finalizers: list[str] | None = None


class Preconditions(msgspec.Struct):
    version: str | None = msgspec.field(default=None, name="resourceVersion")


class Head(msgspec.Struct):
    """The fields of an object that the analysis decodes."""

    kind: str = ""
    metadata: Metadata = msgspec.field(default_factory=Metadata)
    preconditions: Preconditions | None = None


_decode_head = msgspec.json.Decoder(Head).decode
_NO_HEAD = Head()


def head_of(body: bytes) -> Head:
    """Decodes the Head of an object in JSON; returns an empty Head for any other body."""
    if not body:
        return _NO_HEAD
    try:
        return _decode_head(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _NO_HEAD


class RequestFacts(NamedTuple):
    """The verb, object and resourceVersions of one exchange.

    - `path`: the object or collection; for a create, with the name of the created object.
    - `status`: the status code; 0 without a response.
    - `answered_version`: the resourceVersion of the object or list in the response; 0 for none.
    - `requested_version`: the resourceVersion in the request; 0 for none.
    - `is_write`: whether the request changes the storage. A dry run does not.
    - `removes`: whether the request deleted the object from the storage.
    - `creates`: whether the request created the object. An apply patch or update that got 201 did too.
    - `is_dry_run`: whether the server only checked the request, and stored nothing.
    """

    path: ResourcePath
    verb: str
    status: int
    answered_version: int
    requested_version: int
    is_write: bool
    removes: bool = False
    creates: bool = False
    is_dry_run: bool = False


def facts_of(exchange: Exchange) -> RequestFacts:
    """Returns the verb, object and resourceVersions of an exchange."""
    request, response = exchange.request, exchange.response
    target_path, _, query = request.target.partition("?")
    info = request_info.parse(target_path)
    path = resource_path(info)
    is_watch = exchange.events is not None
    verb = (
        "watch" if is_watch else request_info.verb_of(request.method, info, query) or request.method.lower()
    )
    status = 0 if response is None else response.status
    if not path.resource:
        return RequestFacts(path, verb, status, 0, 0, is_write=False)
    answered = requested = ""
    is_dry_run = "dryRun=" in query
    removes = False
    if response is not None and status < 400 and verb != "watch":
        answer = head_of(response.body)
        if answer.kind != "Status":
            answered = answer.metadata.version
        if verb == "create" and not path.name:
            path = path._replace(name=answer.metadata.name)
        removes = not is_dry_run and _removes(verb, answer.metadata)
    if verb in WRITES:
        sent = head_of(request.body)
        requested = sent.metadata.version
        if sent.preconditions is not None:
            requested = sent.preconditions.version or ""
        if verb == "create" and not path.name:
            path = path._replace(name=sent.metadata.name)
    elif "resourceVersion=" in query:
        requested = request_info.first_values(query).get("resourceVersion", "")
    if path.resource == NAMESPACES and path.name:
        path = path._replace(namespace="")
    return RequestFacts(
        path,
        verb,
        status,
        version_number(answered),
        version_number(requested),
        is_write=verb in WRITES and not is_dry_run,
        removes=removes,
        creates=not is_dry_run and _is_new(verb, status),
        is_dry_run=is_dry_run,
    )


def _is_new(verb: str, status: int) -> bool:
    """Whether the response says that the object of the request did not exist before.

    A server-side apply that creates its object is a PATCH with status 201.
    """
    return 200 <= status < 300 if verb == "create" else verb in {"update", "patch"} and status == 201


def _removes(verb: str, answer: Metadata) -> bool:
    """Whether a successful write deleted its object, by a delete or by removing the last finalizer.

    `answer`: the metadata of the object in the response.
    """
    if answer.finalizers:
        return False
    return verb == "delete" or (verb in {"update", "patch"} and answer.deleted is not None)


def version_number(version: str) -> int:
    """Returns a resourceVersion as a number. Returns 0 for text that is not a resourceVersion."""
    return int(version) if version.isascii() and version.isdecimal() and len(version) <= VERSION_DIGITS else 0
