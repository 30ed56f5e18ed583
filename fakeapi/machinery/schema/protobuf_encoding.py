"""Encodes canonical objects as protobuf, with the same bytes as Kubernetes.

Follows the marshallers that gogo-protobuf generates for k8s.io/api. Fields are in the order of their numbers.
Strings, numbers, booleans and structs are encoded even if they are zero, unless the field is a pointer. Keys
of maps are sorted. The envelope follows k8s.io/apimachinery `pkg/runtime/serializer/protobuf`.
"""

import base64
import struct
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from fakeapi.machinery import codec
from fakeapi.machinery.golang.times import since_epoch
from fakeapi.machinery.schema.nodes import (
    AnyValue,
    Field,
    List,
    Map,
    Node,
    Scalar,
    ScalarKind,
    Struct,
    kept_on_node,
)
from fakeapi.machinery.schema.protobuf import CHOICE_FIELDS, PREFIX
from fakeapi.machinery.schema.protobuf_wire import (
    BYTES,
    FIXED64,
    VARINT,
    bytes_field,
    encode_varint,
    varint_field,
)

Encoder: TypeAlias = Callable[[Any], bytes]
"""Encodes a value; the result for messages, strings and bytes does not include their length."""

_WORD = (1 << 64) - 1
_TYPE_META = {"kind": (1,), "apiVersion": (2,)}
"""The fields of metav1.TypeMeta and their protobuf paths; protobuf has them only in the envelope."""
_NO_CONTENT = b"\x1a\0\x22\0"
"""The envelope fields contentEncoding and contentType: Kubernetes encodes them although they are empty."""


def encode(obj: dict[str, Any], schema: Struct) -> bytes:
    """Encodes a canonical object as a protobuf message, without its kind and apiVersion."""
    return _message(schema)(obj)


def wrap(kind: str, api_version: str, message: bytes) -> bytes:
    """Wraps the message of an object in a protobuf body: PREFIX and a runtime.Unknown."""
    type_meta = bytes_field(1, api_version.encode()) + bytes_field(2, kind.encode())
    return b"%b%b%b%b" % (PREFIX, bytes_field(1, type_meta), bytes_field(2, message), _NO_CONTENT)


class _Wire(NamedTuple):
    """The protobuf encoding of the values of a schema node.

    - `wire_type`: the protobuf wire type.
    - `encode`: encodes a value.
    - `zero`: the value that is encoded for an absent value.
    - `may_lack`: whether absent values are left out; `zero` is then not used.
    """

    wire_type: int
    encode: Encoder
    zero: Any
    may_lack: bool = False


@kept_on_node
def _message(node: Struct) -> Encoder:
    """Compiles the encoder of a struct, including the messages that JSON inlines."""
    fields = {name: field for name, field in node.fields.items() if field.protobuf_path}
    if all(name in fields and fields[name].protobuf_path == path for name, path in _TYPE_META.items()):
        fields = {name: field for name, field in fields.items() if name not in _TYPE_META}
    return _of_fields([(field.protobuf_path, field) for field in fields.values()])


def _of_fields(fields: list[tuple[tuple[int, ...], Field]]) -> Encoder:
    """Compiles the encoder of a protobuf message from its fields: (protobuf path, field)."""
    writers: list[tuple[int, Encoder]] = []
    inlined: dict[int, list[tuple[tuple[int, ...], Field]]] = {}
    for (number, *rest), field in fields:
        if rest:
            inlined.setdefault(number, []).append((tuple(rest), field))
        else:
            writers.append((number, _field(number, field)))
    for number, inner in inlined.items():
        writers.append((number, _counted(number, _of_fields(inner))))
    ordered = [encoder for _, encoder in sorted(writers, key=lambda writer: writer[0])]
    return lambda value: b"".join([encoder(value) for encoder in ordered])


def _field(number: int, field: Field) -> Encoder:
    """Compiles the encoder of a field; its argument is the object that contains the field."""
    name, node = field.name, field.node
    if isinstance(node, List) and not node.wrapped:
        write_item = _tagged(number, _wire(node.items))
        return lambda obj: b"".join([write_item(item) for item in obj.get(name) or ()])
    if isinstance(node, Map):
        entry = _counted(number, _entry(node))
        return lambda obj: b"".join([entry(pair) for pair in sorted((obj.get(name) or {}).items())])
    wire = _wire(node)
    write = _tagged(number, wire)
    if field.pointer or wire.may_lack:
        return lambda obj: b"" if (value := obj.get(name)) is None else write(value)
    zero = wire.zero
    return lambda obj: write(zero if (value := obj.get(name)) is None else value)


def _entry(node: Map) -> Encoder:
    """Compiles the encoder of map entries; its argument is a pair (key, value)."""
    wire = _wire(node.values)
    write, zero = _tagged(2, wire), wire.zero

    def encode(pair: tuple[str, Any]) -> bytes:
        key, value = pair
        start = bytes_field(1, key.encode())
        if value is None and isinstance(node.values, Scalar) and node.values.kind is ScalarKind.BYTES:
            return start
        return start + write(zero if value is None else value)

    return encode


def _tagged(number: int, wire: _Wire) -> Encoder:
    """Compiles an encoder that also writes the field number and, for wire type bytes, the length."""
    tag, encode = encode_varint(number << 3 | wire.wire_type), wire.encode
    if wire.wire_type == BYTES:
        return _counted(number, encode)
    return lambda value: tag + encode(value)


def _counted(number: int, encode: Encoder) -> Encoder:
    tag = encode_varint(number << 3 | BYTES)

    def write(value: Any) -> bytes:
        content = encode(value)
        size = len(content)
        return b"%b%c%b" % (tag, size, content) if size < 0x80 else tag + encode_varint(size) + content

    return write


def _wire(node: Node) -> _Wire:
    match node:
        case Scalar():
            return _SCALARS[node.kind]
        case Struct():
            return _Wire(BYTES, _lazily(node), {})
        case AnyValue(go_type=go_type, choice=choice) if choice is not None:
            return _Wire(BYTES, _choice(go_type, choice), None)
        case AnyValue():
            return _Wire(BYTES, _raw, None)
        case List():  # The list is a message in protobuf.
            items = _tagged(1, _wire(node.items))
            return _Wire(BYTES, lambda value: b"".join([items(item) for item in value]), (), may_lack=True)
        case Map():
            raise AssertionError(f"a map in a list or a map: {node.go_type}")


def _lazily(node: Struct) -> Encoder:
    """Returns an encoder of a struct that is compiled on first use, because a type may contain itself."""

    def write(value: Any) -> bytes:
        return _message(node)(value)

    return write


def _choice(go_type: str, struct_of: Callable[[], Struct]) -> Encoder:
    """Compiles the encoder of a type in CHOICE_FIELDS. `struct_of` returns the type of a JSON Schema."""
    own, other = CHOICE_FIELDS[go_type.rpartition(".")[2]]

    def write(value: Any) -> bytes:
        if isinstance(value, bool):
            return varint_field(other, int(value))
        if isinstance(value, dict):
            allows = varint_field(other, 1) if other < own else b""
            return allows + bytes_field(own, _message(struct_of())(value))
        return b"".join(
            [
                bytes_field(other, item.encode() if isinstance(item, str) else _message(struct_of())(item))
                for item in value or ()
            ]
        )

    return write


def _raw(value: Any) -> bytes:
    """Encodes a RawExtension or FieldsV1 as a message that contains its JSON; None as an empty message."""
    return b"" if value is None else bytes_field(1, codec.encode(value))


def _integer(value: int) -> bytes:
    return encode_varint(value & _WORD)


def _time(value: str | None) -> bytes:
    """Encodes a time as a protobuf Timestamp; None, which is Go's zero time, as an empty message."""
    if value is None:
        return b""
    passed = since_epoch(value)
    seconds = passed.days * 86_400 + passed.seconds
    return b"\x08%b\x10%b" % (_integer(seconds), encode_varint(passed.microseconds * 1000))


def _int_or_string(value: int | str) -> bytes:
    if isinstance(value, str):
        return b"\x08\x01\x10\0%b" % bytes_field(3, value.encode())
    return b"\x08\0\x10%b\x1a\0" % _integer(value)


_SCALARS: dict[ScalarKind, _Wire] = {
    ScalarKind.STRING: _Wire(BYTES, str.encode, ""),
    ScalarKind.INTEGER: _Wire(VARINT, _integer, 0),
    ScalarKind.BOOLEAN: _Wire(VARINT, lambda value: b"\x01" if value else b"\0", False),
    ScalarKind.NUMBER: _Wire(FIXED64, lambda value: struct.pack("<d", value), 0.0),
    ScalarKind.BYTES: _Wire(BYTES, base64.b64decode, None, may_lack=True),
    ScalarKind.TIME: _Wire(BYTES, _time, None),
    ScalarKind.MICRO_TIME: _Wire(BYTES, _time, None),
    ScalarKind.QUANTITY: _Wire(BYTES, lambda value: bytes_field(1, value.encode()), "0"),
    ScalarKind.INT_OR_STRING: _Wire(BYTES, _int_or_string, 0),
}
