"""Objects as they are stored, and as they go out again.

A stored value is an object's JSON with an empty resourceVersion, which belongs to the storage's revision.
It is filled in when the object is read, so that an object is encoded once, when it is written. As in
Kubernetes, `kind` and `apiVersion` lead, and objects inside a list go without them; and what a driver gave is
kept to the byte, while answers are compact.
"""

from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.decoding import without_empty
from fakeapi.machinery.schema.nodes import Struct

if TYPE_CHECKING:
    from fakeapi_storage import Entry


_HAS_TEXT = ord(" ")
"""The last byte of the stored form of an object in which a driver's value stands as it was sent."""

_EMPTY_LIST = b":[]"
_EMPTY_VERSION = b'"resourceVersion":""'

METADATA_ORDER = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)
"""The fields of metav1.ObjectMeta, in their order on the wire."""

_STORED_METADATA = tuple(name for name in METADATA_ORDER if name != "selfLink")
"""Kubernetes gave selfLink up; it is never stored."""


def encode(obj: Object, schema: Struct) -> bytes:
    """The stored form of a canonical object; its resourceVersion, if it has one, is left out.

    Members of metadata may stand in any order: two objects that are equal have the same bytes.
    """
    value = _encode(obj)
    return _encode(without_empty(obj, schema)) if _EMPTY_LIST in value else value


def _encode(obj: Object) -> bytes:
    meta = {**obj["metadata"], "resourceVersion": ""}
    ordered = {name: meta[name] for name in _STORED_METADATA if name in meta}
    kind, api_version = obj["kind"], obj["apiVersion"]  # lead, whatever the order of a body was
    value, has_text = codec.encode_noting_raw(
        {"kind": kind, "apiVersion": api_version, **obj, "metadata": ordered}
    )
    return b"%b%c" % (value, _HAS_TEXT) if has_text else value


def decode(entry: "Entry", schema: Struct | None = None) -> Object:
    """The object of an entry, with its resourceVersion; the caller's own to change.

    By the `schema` of what is stored, it has the texts of what drivers gave, so that it can be stored again.
    """
    obj: Object = codec.decode(entry.value)
    if schema is not None and entry.value[-1] == _HAS_TEXT:
        obj = raw_extension.as_written(obj, entry.value, schema)
    obj["metadata"]["resourceVersion"] = str(entry.revision)
    return obj


def with_version(value: bytes, revision: int) -> bytes:
    """JSON of the stored object with its resourceVersion.

    Only names, which hold no quotes, come before the resourceVersion; so the first place that looks
    like it is it.
    """
    if value[-1] == _HAS_TEXT:
        value = codec.compact(value)
    return value.replace(_EMPTY_VERSION, b'"resourceVersion":"%d"' % revision, 1)


def with_given_version(value: bytes, given: str) -> bytes:
    """JSON of an object that is not stored, with the resourceVersion that its body had, if any."""
    if value[-1] == _HAS_TEXT:
        value = codec.compact(value)
    if given:
        return value.replace(_EMPTY_VERSION, b'"resourceVersion":' + codec.encode(given), 1)
    return value.replace(_EMPTY_VERSION + b",", b"", 1)


def type_prefix(kind: str, api_version: str) -> bytes:
    """How the JSON of every stored object of the kind begins."""
    return codec.encode({"kind": kind, "apiVersion": api_version})[:-1] + b","


def list_item(entry: "Entry", prefix: bytes) -> bytes:
    """JSON of an entry as an item of a list: without kind and apiVersion."""
    return b"{" + with_version(entry.value, entry.revision)[len(prefix) :]
