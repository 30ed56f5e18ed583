"""The stored form of objects, and JSON for responses made from it without decoding.

A stored value is an object's JSON with an empty resourceVersion, which belongs to the storage's revision. It
is filled in when the object is read, so that an object is encoded once, when it is written:

    stored       {"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"","labels":…},…}
    at 7, GET    {"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7","labels":…},…}
    in a list                               {"metadata":{"name":"a","resourceVersion":"7","labels":…},…}

The place is the first `"resourceVersion":""` in the bytes. `encode` sees to it that it is: kind, apiVersion
and metadata lead, and before metadata's resourceVersion stand only strings, in which JSON escapes quotes.

Drivers' own values (runtime.RawExtension) are kept to the byte, while answers are compact. An object with one
that is not compact already is stored with `AS_WRITTEN` before its JSON, and made compact when it is answered:

    stored       R{"kind":"K",…,"parameters":{ "share" : 1.50 }}
    GET          {"kind":"K",…,"parameters":{"share":1.50}}
"""

from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.decoding import without_empty
from fakeapi.machinery.schema.nodes import Struct

if TYPE_CHECKING:
    from fakeapi_storage import Entry


AS_WRITTEN = b"R"
"""First byte of the stored form of an object in which a driver's value stands as the driver wrote it."""

_AS_WRITTEN = AS_WRITTEN[0]

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

_BEFORE_VERSION = _STORED_METADATA[: _STORED_METADATA.index("resourceVersion")]


def encode(obj: Object, schema: Struct) -> bytes:
    """The stored form of a canonical object; its resourceVersion, if it has one, is left out.

    Members of metadata may stand in any order: two objects that are equal have the same bytes.
    """
    value = encode_value(obj)
    return encode_value(without_empty(obj, schema)) if _EMPTY_LIST in value else value


def encode_value(obj: Object) -> bytes:
    """`encode` for an object whose empty lists are as they are stored."""
    filled = {**obj["metadata"], "resourceVersion": ""}
    metadata = {name: filled[name] for name in _STORED_METADATA if name in filled}
    for name in _BEFORE_VERSION:
        assert isinstance(filled.get(name, ""), str), f"metadata.{name} may hide the resourceVersion"
    beginning = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": metadata}
    value, is_as_written = codec.encode_noting_raw(beginning | obj | beginning)
    return AS_WRITTEN + value if is_as_written else value


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two stored values are the same object. Members may stand in different order: defaults are
    filled in after what was sent, and sent the next time.
    """
    return one == other or (
        len(one) == len(other) and codec.decode(json_of(one)) == codec.decode(json_of(other))
    )


def json_of(value: bytes) -> bytes:
    """The JSON of a stored value, drivers' values as they were written."""
    return value[1:] if value[0] == _AS_WRITTEN else value


def decode(entry: "Entry", schema: Struct | None = None) -> Object:
    """The object of an entry, with its resourceVersion; the caller's own to change.

    With the `schema` of stored objects, drivers' own values keep their bytes, so that they can be stored
    again.
    """
    obj = decode_value(entry.value, schema)
    obj["metadata"]["resourceVersion"] = str(entry.revision)
    return obj


def decode_value(value: bytes, schema: Struct | None = None) -> Object:
    """`decode` for a stored value without its revision."""
    text = json_of(value)
    obj: Object = codec.decode(text)
    if schema is not None and text is not value:
        obj = raw_extension.as_written(obj, text, schema)
    return obj


def with_version(value: bytes, revision: int, *, exact: bool = False) -> bytes:
    """JSON of the stored object with its resourceVersion; `exact`: drivers' values as they were written, not
    compact.
    """
    if value[0] == _AS_WRITTEN:
        value = value[1:] if exact else codec.compact(value[1:])
    return value.replace(_EMPTY_VERSION, b'"resourceVersion":"%d"' % revision, 1)


def with_given_version(value: bytes, given: str, *, exact: bool = False) -> bytes:
    """JSON of an object that is not stored, with the resourceVersion that its body had, if any; `exact` as
    in `with_version`.
    """
    if value[0] == _AS_WRITTEN:
        value = value[1:] if exact else codec.compact(value[1:])
    if given:
        return value.replace(_EMPTY_VERSION, b'"resourceVersion":' + codec.encode(given), 1)
    return value.replace(_EMPTY_VERSION + b",", b"", 1)


def with_type(value: bytes, old_prefix: bytes, new_prefix: bytes) -> bytes:
    """The stored form of an object with another kind or apiVersion; the prefixes are of `type_prefix`."""
    if value[0] == _AS_WRITTEN:
        return AS_WRITTEN + new_prefix + value[1 + len(old_prefix) :]
    return new_prefix + value[len(old_prefix) :]


def type_prefix(kind: str, api_version: str) -> bytes:
    """The beginning of the JSON of every stored object of the kind."""
    return codec.encode({"kind": kind, "apiVersion": api_version})[:-1] + b","


def list_item(value: bytes, revision: int, prefix: bytes, *, exact: bool = False) -> bytes:
    """JSON of a stored object as an item of a list: without kind and apiVersion, which are its prefix."""
    return b"{" + with_version(value, revision, exact=exact)[len(prefix) :]
