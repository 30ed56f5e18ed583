"""What a recorded exchange tells about an object and its versions, without decoding more than that."""

from typing import NamedTuple

import msgspec

from fakeapi.traces.model import Exchange
from fakeapi.traces.replay.addresses import Address, locate, query_of, verb_of

WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})
COLLECTIONS = frozenset({"list", "watch", "deletecollection"})
"""Verbs that are about more than one object."""


class Metadata(msgspec.Struct):
    """Of an object, a list, or an object that is asked for."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    version: str = msgspec.field(default="", name="resourceVersion")
    deleted: str | None = msgspec.field(default=None, name="deletionTimestamp")
    finalizers: list[str] | None = None


class Preconditions(msgspec.Struct):
    version: str | None = msgspec.field(default=None, name="resourceVersion")


class Head(msgspec.Struct):
    """The beginning of any object."""

    kind: str = ""
    metadata: Metadata = msgspec.field(default_factory=Metadata)
    preconditions: Preconditions | None = None


_decode_head = msgspec.json.Decoder(Head).decode
_NO_HEAD = Head()


def head_of(body: bytes) -> Head:
    """Of a body that is no object, an empty one."""
    if not body:
        return _NO_HEAD
    try:
        return _decode_head(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _NO_HEAD


class Facts(NamedTuple):
    """What an exchange was about.

    `address` has the name that a create was answered with. `status`: 0 where no answer is known. `saw`: the
    version in the answer, of the object or of the list. `asked`: the version that the request named. Both are
    0 where there was none. `is_end`: whether the object was gone afterwards.
    """

    address: Address
    verb: str
    status: int
    saw: int
    asked: int
    is_write: bool
    is_end: bool = False


def facts_of(exchange: Exchange) -> Facts:
    request, response = exchange.request, exchange.response
    address = locate(request.target)
    verb = verb_of(request, address, watch=exchange.events is not None)
    status = 0 if response is None else response.status
    if not address.resource:
        return Facts(address, verb, status, 0, 0, is_write=False)
    saw = asked = ""
    is_end = False
    if response is not None and status < 400 and verb != "watch":
        answer = head_of(response.body)
        if answer.kind != "Status":
            saw = answer.metadata.version
        if verb == "create" and not address.name:
            address = address._replace(name=answer.metadata.name)
        is_end = _is_end(verb, answer.metadata)
    if verb in WRITES:
        wanted = head_of(request.body)
        asked = wanted.metadata.version
        if wanted.preconditions is not None:
            asked = wanted.preconditions.version or ""
        if verb == "create" and not address.name:
            address = address._replace(name=wanted.metadata.name)
    elif "resourceVersion=" in request.target:
        asked = query_of(request.target).get("resourceVersion", "")
    if address.resource == "namespaces" and address.name:
        address = address._replace(namespace="")
    return Facts(address, verb, status, _number(saw), _number(asked), verb in WRITES, is_end)


def _is_end(verb: str, answer: Metadata) -> bool:
    """Whether a write that succeeded took away its object: the last finalizer goes, or there was none."""
    if answer.finalizers:
        return False
    return verb == "delete" or (verb in {"update", "patch"} and answer.deleted is not None)


def _number(version: str) -> int:
    return int(version) if version.isdecimal() else 0
