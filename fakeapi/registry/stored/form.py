"""The stored form of objects, and JSON for responses made from it without decoding.

A stored value is an object's JSON with an empty resourceVersion. The storage's revision is filled in when the
object is read, so that an object is encoded only once, when it is written:

    stored       {"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"","labels":…},…}
    at 7, GET    {"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7","labels":…},…}
    in a list                               {"metadata":{"name":"a","resourceVersion":"7","labels":…},…}

The revision replaces the first `"resourceVersion":""` in the bytes. `encode` ensures that this is the right
one: kind, apiVersion and metadata come first, and before metadata's resourceVersion there are only strings,
in which JSON escapes quotes.

Drivers' opaque values (runtime.RawExtension) keep their bytes in the storage, while answers are compact JSON.
An object with an opaque value that is not compact is stored with `AS_WRITTEN` before its JSON. Answers
compact it:

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
"""First byte of the stored form of an object with an opaque value that is not compact JSON."""

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
"""The fields of metadata in stored objects: all except selfLink, which Kubernetes has given up."""

_BEFORE_VERSION = _STORED_METADATA[: _STORED_METADATA.index("resourceVersion")]


def encode(obj: Object, schema: Struct) -> bytes:
    """Returns the stored form of a canonical object, without its resourceVersion.

    The order of the fields in metadata has no effect on the bytes.
    """
    value = encode_value(obj)
    return encode_value(without_empty(obj, schema)) if _EMPTY_LIST in value else value


def encode_value(obj: Object) -> bytes:
    """Returns the stored form of a canonical object without dropping empty lists."""
    filled = {**obj["metadata"], "resourceVersion": ""}
    metadata = {name: filled[name] for name in _STORED_METADATA if name in filled}
    for name in _BEFORE_VERSION:
        assert isinstance(filled.get(name, ""), str), f"metadata.{name} may hide the resourceVersion"
    beginning = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": metadata}
    value, is_as_written = codec.encode_noting_raw(beginning | obj | beginning)
    return AS_WRITTEN + value if is_as_written else value


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two stored values are the same object; the order of fields does not count.

    The order differs because defaults are added at the end, and clients later send them at other places.
    """
    return one == other or (
        len(one) == len(other) and codec.decode(json_of(one)) == codec.decode(json_of(other))
    )


def json_of(value: bytes) -> bytes:
    """Returns the JSON of a stored value; drivers' opaque values keep their bytes."""
    return value[1:] if value[0] == _AS_WRITTEN else value


def decode(entry: "Entry", schema: Struct | None = None) -> Object:
    """Decodes the object of an entry, with its resourceVersion; the caller may change the object.

    With the `schema` of stored objects, drivers' opaque values keep their bytes, so that they can be stored
    again.
    """
    obj = decode_value(entry.value, schema)
    obj["metadata"]["resourceVersion"] = str(entry.revision)
    return obj


def decode_value(value: bytes, schema: Struct | None = None) -> Object:
    """Decodes a stored value; the resourceVersion of the object is empty.

    With the `schema` of stored objects, drivers' opaque values keep their bytes.
    """
    text = json_of(value)
    obj: Object = codec.decode(text)
    if schema is not None and text is not value:
        obj = raw_extension.as_written(obj, text, schema)
    return obj


def with_version(value: bytes, revision: int, *, exact: bool = False) -> bytes:
    """Returns the JSON of a stored object with its resourceVersion.

    With `exact`, drivers' opaque values keep their bytes; otherwise they are compact.
    """
    if value[0] == _AS_WRITTEN:
        value = value[1:] if exact else codec.compact(value[1:])
    return value.replace(_EMPTY_VERSION, b'"resourceVersion":"%d"' % revision, 1)


def with_given_version(value: bytes, given: str, *, exact: bool = False) -> bytes:
    """Returns the JSON of an object that is not stored, with the resourceVersion `given`, if any.

    With `exact`, drivers' opaque values keep their bytes; otherwise they are compact.
    """
    if value[0] == _AS_WRITTEN:
        value = value[1:] if exact else codec.compact(value[1:])
    if given:
        return value.replace(_EMPTY_VERSION, b'"resourceVersion":' + codec.encode(given), 1)
    return value.replace(_EMPTY_VERSION + b",", b"", 1)


def with_type(value: bytes, old_prefix: bytes, new_prefix: bytes) -> bytes:
    """Replaces kind and apiVersion in a stored value; the prefixes come from `type_prefix`."""
    if value[0] == _AS_WRITTEN:
        return AS_WRITTEN + new_prefix + value[1 + len(old_prefix) :]
    return new_prefix + value[len(old_prefix) :]


def type_prefix(kind: str, api_version: str) -> bytes:
    """Returns the beginning of the JSON of all stored objects of the kind."""
    return codec.encode({"kind": kind, "apiVersion": api_version})[:-1] + b","


def list_item(value: bytes, revision: int, prefix: bytes, *, exact: bool = False) -> bytes:
    """Returns the JSON of a stored object as an item of a list: without `prefix`, its kind and apiVersion.

    With `exact`, drivers' opaque values keep their bytes; otherwise they are compact.
    """
    return b"{" + with_version(value, revision, exact=exact)[len(prefix) :]
