"""Converts JSON responses to protobuf, with the Go types of their `apiVersion` and `kind`.

Follows k8s.io/apimachinery `pkg/runtime/serializer/protobuf`. Watches consist of metav1.WatchEvent messages
in the frames of `pkg/util/framer`.
"""

from typing import Any

from fakeapi.machinery import codec
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.schema import raw_extension
from fakeapi.machinery.schema.nodes import Struct
from fakeapi.machinery.schema.protobuf_encoding import encode, wrap
from fakeapi.machinery.schema.protobuf_wire import bytes_field
from fakeapi.releases.offered import RELEASES
from fakeapi.releases.release import ReleaseKinds, kinds_of_release

_LENGTH_BYTES = 4


def encode_body(body: bytes, kinds: ReleaseKinds | None = None) -> bytes:
    """Converts the JSON of an object, list or Status to protobuf.

    `kinds`: the kinds of the object's release; None uses the kinds of the newest release. Raises ApiError 406
    for a kind without a protobuf message, such as Table.
    """
    obj: dict[str, Any] = codec.decode(body)
    kind, api_version = obj.get("kind", ""), obj.get("apiVersion", "")
    schema = (kinds or kinds_of_release(RELEASES[-1])).type_of(api_version, kind)
    if schema is None or not has_protobuf(schema):
        raise _not_marshalable(kind)
    return wrap(kind, api_version, encode(raw_extension.as_written(obj, body, schema), schema))


def has_protobuf(schema: Struct) -> bool:
    """Whether a type has a protobuf message. Types of custom resources have none."""
    return any(field.protobuf_path for field in schema.fields.values())


def watch_frame(event_type: str, body: bytes, kinds: ReleaseKinds) -> bytes:
    """Returns one frame of a watch stream: the length in four bytes, and a WatchEvent in protobuf.

    `body`: the JSON of the event's object. Raises ApiError 406 for a kind without a protobuf message.
    """
    content = bytes_field(1, encode_body(body, kinds))
    event = bytes_field(1, event_type.encode()) + bytes_field(2, content)
    return len(event).to_bytes(_LENGTH_BYTES, "big") + event


def split_frames(data: bytes) -> list[bytes]:
    """Returns the contents of consecutive frames, without the length at the start of each frame."""
    contents: list[bytes] = []
    at = 0
    while at < len(data):
        start = at + _LENGTH_BYTES
        at = start + int.from_bytes(data[at:start], "big")
        contents.append(data[start:at])
    return contents


def _not_marshalable(kind: str) -> ApiError:
    return ApiError(
        406,
        "NotAcceptable",
        f"object *v1.{kind} does not implement the protobuf marshalling interface and cannot be encoded to a "
        "protobuf message",
    )
