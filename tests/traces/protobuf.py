"""Encodes objects as protobuf like client-go, with the schemas of a Kubernetes release."""

from datetime import datetime
from typing import Any

from fakeapi.machinery.codec import encode
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct
from fakeapi.releases import load_release


def envelope(obj: dict[str, Any], release: str = "1.33") -> bytes:
    """Encodes an object or list as a protobuf request or response body, including the envelope."""
    group, _, version = obj["apiVersion"].rpartition("/")
    kinds = load_release(release).all_kinds.of_version(group, version)
    schema = next(
        each.schema if each.kind == obj["kind"] else each.schemas.struct(each.list_type_name)
        for each in kinds
        if obj["kind"] in {each.kind, each.list_kind}
    )
    type_meta = _told(1, obj["apiVersion"].encode()) + _told(2, obj["kind"].encode())
    return b"k8s\0" + _told(1, type_meta) + _told(2, _struct(obj, schema))


def watch_event(kind: str, obj: dict[str, Any]) -> bytes:
    """Encodes a watch event as protobuf, without its length prefix. `kind`: the type of the event."""
    return _told(1, kind.encode()) + _told(2, _told(1, envelope(obj)))


def _struct(value: dict[str, Any], schema: Struct) -> bytes:
    encoded = b""
    for name, member in value.items():
        field = schema.fields.get(name)
        # the envelope contains the object's type
        if name in {"kind", "apiVersion"} and "metadata" in value:
            continue
        if field is None or not field.protobuf_path or member is None:
            continue
        data = _field(field.protobuf_path[-1], member, field.node)
        for number in reversed(field.protobuf_path[:-1]):
            data = _told(number, data)
        encoded += data
    return encoded


def _field(number: int, value: Any, node: Node) -> bytes:
    match node:
        case List(items=items):
            return b"".join(_field(number, each, items) for each in value)
        case Map(values=values):
            entries = (_told(1, key.encode()) + _field(2, each, values) for key, each in value.items())
            return b"".join(_told(number, entry) for entry in entries)
        case Struct():
            return _told(number, _struct(value, node))
        case AnyValue():
            return _told(number, _told(1, encode(value)))
        case Scalar(kind=ScalarKind.BOOLEAN | ScalarKind.INTEGER):
            return _varint(number << 3) + _varint(int(value))
        case Scalar(kind=ScalarKind.TIME):
            return _told(number, _varint(1 << 3) + _varint(int(datetime.fromisoformat(value).timestamp())))
        case Scalar(kind=ScalarKind.STRING):
            return _told(number, value.encode())
    raise NotImplementedError(node)


def _told(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    data = bytearray()
    while value > 0x7F:
        data.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*data, value))
