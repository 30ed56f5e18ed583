"""Decodes Kubernetes objects in protobuf to JSON.

The envelope follows k8s.io/apimachinery `pkg/runtime/serializer/protobuf`. The object inside follows the
`protobuf` tags of the Go types in k8s.io/api, which are part of the schema.
"""

import base64
import struct
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from fakeapi.machinery.codec import JsonError
from fakeapi.machinery.golang import json_decoding
from fakeapi.machinery.schema import raw_extension
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
from fakeapi.machinery.schema.protobuf_wire import BYTES, VARINT, Fields, WireError, fields_of, packed, signed

PREFIX = b"k8s\0"

CHOICE_FIELDS = {
    "JSONSchemaPropsOrArray": (1, 2),
    "JSONSchemaPropsOrBool": (2, 1),
    "JSONSchemaPropsOrStringArray": (1, 2),
}
"""Protobuf field numbers of types whose values are a JSON Schema or something else, such as a boolean.

type name -> (field number of the JSON Schema, field number of the other choice)
"""

_Layout: TypeAlias = "dict[int, Field | _Layout]"


class ProtobufError(ValueError):
    """Raised if protobuf bytes cannot be decoded. The message is the same as in Kubernetes."""


def unwrap(body: bytes) -> tuple[str, str, bytes]:
    """Removes the envelope of a protobuf body; returns (kind, apiVersion, bytes of the object).

    kind and apiVersion may be empty. Raises ProtobufError if the body has no valid envelope.
    """
    if not body:
        raise ProtobufError("empty data")
    if not body.startswith(PREFIX):
        expected = " ".join(str(byte) for byte in PREFIX)
        raise ProtobufError(
            f"provided data does not appear to be a protobuf message, expected prefix [{expected}]"
        )
    if len(body) == len(PREFIX):
        raise ProtobufError("empty body")
    try:
        envelope = fields_of(body[len(PREFIX) :])
        type_meta = fields_of(_joined(envelope.get(1, []), "TypeMeta"))
        api_version, kind = (_string(type_meta.get(n, [b""])[-1], name) for n, name in _TYPE_META)
        return kind, api_version, _joined(envelope.get(2, []), "Raw")
    except WireError as error:
        from fakeapi.machinery.schema.protobuf_refusals import envelope_error  # noqa: PLC0415 - only for bad bytes

        raise ProtobufError(envelope_error(body[len(PREFIX) :]) or str(error)) from None


def decode(data: bytes, schema: Struct) -> dict[str, Any]:
    """Decodes the protobuf of an object to JSON; ignores unknown fields.

    Raises ProtobufError if the bytes are not a valid message of the type.
    """
    try:
        return _struct(fields_of(data), _layout(schema))
    except (WireError, JsonError, struct.error) as error:
        from fakeapi.machinery.schema.protobuf_refusals import object_error  # noqa: PLC0415 - only for bad bytes

        raise ProtobufError(object_error(data, schema) or str(error)) from None


_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - in UTC, like all times here
_TYPE_META = ((1, "APIVersion"), (2, "Kind"))


@kept_on_node
def _layout(schema: Struct) -> _Layout:
    """Returns the fields of a type by field number.

    A message that JSON inlines is a nested dict of fields.
    """
    layout: _Layout = {}
    for field in schema.fields.values():
        if not field.protobuf_path:
            continue
        *inlined, number = field.protobuf_path
        place = layout
        for step in inlined:
            inner = place.setdefault(step, {})
            assert isinstance(inner, dict)
            place = inner
        place[number] = field
    return layout


def _struct(fields: Fields, layout: _Layout) -> dict[str, Any]:
    obj: dict[str, Any] = {}
    for number, values in fields.items():
        member = layout.get(number)
        if isinstance(member, dict):
            obj |= _struct(fields_of(_joined(values, "inlined")), member)
        elif member is not None:
            obj[member.name] = _value(values, member.node, member.name)
    return obj


def _value(values: list[int | bytes], node: Node, name: str) -> Any:
    match node:
        case List(items=items, wrapped=True):
            inner = fields_of(_joined(values, name)).get(1, [])
            return [_value([value], items, name) for value in inner]
        case List(items=items):
            elements = packed(values) if _zero(items) == 0 else values
            return [_value([value], items, name) for value in elements]
        case Map(values=kept):
            entries = (fields_of(_bytes(value, name)) for value in values)
            return {
                _string(entry.get(1, [b""])[-1], name): _value(entry.get(2, [_zero(kept)]), kept, name)
                for entry in entries
            }
        case Struct():
            return _struct(fields_of(_joined(values, name)), _layout(node))
        case AnyValue(go_type=go_type, choice=choice) if choice is not None:
            return _chosen(fields_of(_joined(values, name)), go_type, choice(), name)
        case AnyValue():
            raw = _bytes(fields_of(_joined(values, name)).get(1, [b""])[-1], name).strip()
            return raw_extension.kept(raw, json_decoding.decode_lenient(raw)) if raw else None
        case Scalar():
            return _SCALARS[node.kind](values, node, name)


def _chosen(fields: Fields, go_type: str, schema: Struct, name: str) -> Any:
    """Decodes a value of a type in CHOICE_FIELDS: a JSON Schema, or the other choice.

    - `go_type`: the name of the type.
    - `schema`: the struct type of a JSON Schema.
    - `name`: the name of the field, for errors.
    """
    short = go_type.rpartition(".")[2]
    own, other = CHOICE_FIELDS[short]
    if own in fields:
        return _struct(fields_of(_joined(fields[own], name)), _layout(schema))
    others = fields.get(other, [])
    if short.endswith("Bool"):
        return bool(_number(others[-1], name)) if others else False
    if short.endswith("StringArray"):
        return [_string(value, name) for value in others]
    return [_struct(fields_of(_bytes(value, name)), _layout(schema)) for value in others]


def _zero(node: Node) -> int | bytes:
    numeric = (ScalarKind.BOOLEAN, ScalarKind.INTEGER)
    return 0 if isinstance(node, Scalar) and node.kind in numeric else b""


def _joined(values: list[int | bytes], name: str) -> bytes:
    """Merges repeated occurrences of a message field by concatenating their bytes."""
    return b"".join(_bytes(value, name) for value in values)


def _bytes(value: int | bytes, name: str) -> bytes:
    if isinstance(value, int):
        raise _wrong(VARINT, name)
    return value


def _number(value: int | bytes, name: str) -> int:
    if isinstance(value, bytes):
        raise _wrong(BYTES, name)
    return value


def _wrong(wire_type: int, name: str) -> WireError:
    return WireError(f"proto: wrong wireType = {wire_type} for field {name[:1].upper()}{name[1:]}")


def _string(value: int | bytes, name: str) -> str:
    return _bytes(value, name).decode("utf-8", "replace")


def _time(values: list[int | bytes], name: str, precision: str) -> str | None:
    """Decodes a protobuf Timestamp to RFC 3339; None for Go's zero time, which is an empty message.

    - `values`: the occurrences of the field
    - `name`: the name of the field, for errors
    - `precision`: "seconds" or "microseconds"

    Raises WireError if the message is malformed or the time is out of range.
    """
    text = _joined(values, name)
    fields = fields_of(text)
    seconds = signed(_number(fields.get(1, [0])[-1], name))
    nanoseconds = signed(_number(fields.get(2, [0])[-1], name), 32)
    if not text:
        return None
    try:
        moment = _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)
    except OverflowError:
        raise WireError(f"field {name} is a time that no year has") from None
    return moment.isoformat(timespec=precision) + "Z"


def _int_or_string(values: list[int | bytes], name: str) -> int | str:
    fields = fields_of(_joined(values, name))
    if _number(fields.get(1, [0])[-1], name):
        return _string(fields.get(3, [b""])[-1], name)
    return signed(_number(fields.get(2, [0])[-1], name), 32)


_SCALARS: dict[ScalarKind, Callable[[list[int | bytes], Scalar, str], Any]] = {
    ScalarKind.STRING: lambda values, node, name: _string(values[-1], name),
    ScalarKind.INTEGER: lambda values, node, name: signed(_number(values[-1], name), node.bits),
    ScalarKind.BOOLEAN: lambda values, node, name: bool(_number(values[-1], name)),
    ScalarKind.NUMBER: lambda values, node, name: struct.unpack("<d", _bytes(values[-1], name))[0],
    ScalarKind.BYTES: lambda values, node, name: base64.b64encode(_bytes(values[-1], name)).decode(),
    ScalarKind.TIME: lambda values, node, name: _time(values, name, "seconds"),
    ScalarKind.MICRO_TIME: lambda values, node, name: _time(values, name, "microseconds"),
    ScalarKind.QUANTITY: lambda values, node, name: _string(
        fields_of(_joined(values, name)).get(1, [b""])[-1], name
    ),
    ScalarKind.INT_OR_STRING: lambda values, node, name: _int_or_string(values, name),
}
