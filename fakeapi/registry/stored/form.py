"""The stored form of objects, and its conversion to the JSON of responses without decoding.

A stored value is an object's JSON with an empty resourceVersion. The server fills in the storage's revision
when it reads the object. So the server encodes an object only once, when it is written:

    stored       {"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"","labels":…},…}
    at 7, GET    {"kind":"K","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"7","labels":…},…}
    in a list                               {"metadata":{"name":"a","resourceVersion":"7","labels":…},…}

The revision replaces the first `"resourceVersion":""` in the bytes. `encode` ensures that this is the field
of metadata: kind, apiVersion and metadata come first. Before the resourceVersion, metadata has only strings,
in which JSON escapes quotes.

Values of the type runtime.RawExtension keep their bytes in the storage, while responses are compact JSON. If
such a value is not compact, the byte `AS_WRITTEN` precedes the JSON of the stored object. Responses have
compact JSON:

    stored       R{"kind":"K",…,"parameters":{ "share" : 1.50 }}
    GET          {"kind":"K",…,"parameters":{"share":1.50}}
"""

from typing import TYPE_CHECKING

from fakeapi.machinery import codec
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.empty_values import without_empty
from fakeapi.machinery.schema.nodes import Struct

if TYPE_CHECKING:
    from fakeapi_storage import Entry


AS_WRITTEN = b"R"
"""First byte of stored objects with a RawExtension value that is not compact JSON."""

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
"""The fields of metav1.ObjectMeta in the order in which servers send them."""

_STORED_METADATA = tuple(name for name in METADATA_ORDER if name != "selfLink")
"""The metadata fields of stored objects: all except selfLink, which Kubernetes no longer sets."""

_BEFORE_VERSION = _STORED_METADATA[: _STORED_METADATA.index("resourceVersion")]


def encode(obj: Object, schema: Struct) -> bytes:
    """Returns the stored form of a canonical object, without resourceVersion and empty `omitempty` lists.

    The order of the metadata fields has no effect on the bytes.
    """
    value = encode_value(obj)
    return encode_value(without_empty(obj, schema)) if _EMPTY_LIST in value else value


def encode_value(obj: Object) -> bytes:
    """Returns the stored form of a canonical object, including its empty lists.

    The order of the metadata fields in `obj` has no effect on the bytes.
    """
    filled = {**obj["metadata"], "resourceVersion": ""}
    metadata = {name: filled[name] for name in _STORED_METADATA if name in filled}
    for name in _BEFORE_VERSION:
        assert isinstance(filled.get(name, ""), str), f"metadata.{name} may hide the resourceVersion"
    beginning = {"kind": obj["kind"], "apiVersion": obj["apiVersion"], "metadata": metadata}
    value, is_as_written = codec.encode_noting_raw(beginning | obj | beginning)
    return AS_WRITTEN + value if is_as_written else value


def is_same(one: bytes, other: bytes) -> bool:
    """Whether two stored values contain equal objects; the order of fields does not matter.

    The order can differ, because the server appends defaults, and clients later send these fields in another
    order.
    """
    return one == other or (
        len(one) == len(other) and codec.decode(json_of(one)) == codec.decode(json_of(other))
    )


def json_of(value: bytes) -> bytes:
    """Returns the JSON of a stored value; RawExtension values keep their original bytes."""
    return value[1:] if value[0] == _AS_WRITTEN else value


def decode(entry: "Entry", schema: Struct | None = None) -> Object:
    """Decodes the object of a storage entry, with its resourceVersion. The caller may change the object.

    `schema`: the type of the stored object, if its RawExtension values must keep their original bytes.
    """
    obj = decode_value(entry.value, schema)
    obj["metadata"]["resourceVersion"] = str(entry.revision)
    return obj


def decode_value(value: bytes, schema: Struct | None = None) -> Object:
    """Decodes a stored value; the resourceVersion of the object is "".

    `schema`: the type of the stored object, if its RawExtension values must keep their original bytes.
    """
    text = json_of(value)
    obj: Object = codec.decode(text)
    if schema is not None and text is not value:
        obj = raw_extension.as_written(obj, text, schema)
    return obj


def with_version(value: bytes, revision: int, *, exact: bool = False) -> bytes:
    """Returns the JSON of a stored object, with its resourceVersion.

    `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
    """
    if value[0] == _AS_WRITTEN:
        value = value[1:] if exact else codec.compact(value[1:])
    return value.replace(_EMPTY_VERSION, b'"resourceVersion":"%d"' % revision, 1)


def with_given_version(value: bytes, version: str, *, exact: bool = False) -> bytes:
    """Returns the JSON of an object that is not stored, with the resourceVersion `version`; "" for none.

    - `value`: the object in the stored form.
    - `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
    """
    if value[0] == _AS_WRITTEN:
        value = value[1:] if exact else codec.compact(value[1:])
    if version:
        return value.replace(_EMPTY_VERSION, b'"resourceVersion":' + codec.encode(version), 1)
    return value.replace(_EMPTY_VERSION + b",", b"", 1)


def with_type(value: bytes, old_prefix: bytes, new_prefix: bytes) -> bytes:
    """Replaces kind and apiVersion in a stored value.

    `old_prefix`, `new_prefix`: the results of `type_prefix` for the old and the new kind and apiVersion.
    """
    if value[0] == _AS_WRITTEN:
        return AS_WRITTEN + new_prefix + value[1 + len(old_prefix) :]
    return new_prefix + value[len(old_prefix) :]


def type_prefix(kind: str, api_version: str) -> bytes:
    """Returns the bytes with which the JSON of each stored object of a kind begins: kind and apiVersion."""
    return codec.encode({"kind": kind, "apiVersion": api_version})[:-1] + b","


def list_item(value: bytes, revision: int, prefix: bytes, *, exact: bool = False) -> bytes:
    """Returns the JSON of a stored object as a list item, without kind and apiVersion.

    - `prefix`: the result of `type_prefix` for the kind and apiVersion of the object.
    - `exact`: whether RawExtension values keep their original bytes; otherwise they are compact JSON.
    """
    return b"{" + with_version(value, revision, exact=exact)[len(prefix) :]
