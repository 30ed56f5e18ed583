"""Encodes the OpenAPI 2 document in protobuf, for kubectl.

The messages follow github.com/google/gnostic-models `openapiv2/OpenAPIv2.proto`, without unused fields. The
values of extensions are encoded as JSON, because clients parse them as YAML.
"""

import struct
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from fakeapi.machinery import codec
from fakeapi.machinery.schema.protobuf_wire import bytes_field, encode_varint, varint_field

Encoder: TypeAlias = Callable[[Any], bytes]

_EXTENSION = "x-"
_FIXED64 = 1
"""The protobuf wire type of a double value."""
_NON_BODY = {"query": 3, "path": 4}
"""The field numbers of the message NonBodyParameter, by the location (`in`) of a parameter."""


def encode_document(document: dict[str, Any]) -> bytes:
    """Encodes an OpenAPI 2 document as a protobuf `Document` message.

    Raises KeyError for an unknown JSON key.
    """
    return _document(document)


def _message(fields: dict[str, tuple[int, Encoder]], extensions: int = 0) -> Encoder:
    """Returns a function that encodes JSON objects as one type of protobuf message.

    - `fields`: the field number and the encoder of each JSON key. For number 0, the encoder itself writes
      complete fields, with their numbers.
    - `extensions`: the field number for keys that start with `x-`.
    """

    def encode(value: dict[str, Any]) -> bytes:
        parts: list[bytes] = []
        for name, member in value.items():
            if name.startswith(_EXTENSION):
                parts.append(bytes_field(extensions, _named(_any)(name, member)))
            else:
                number, encoder = fields[name]
                parts.append(encoder(member) if number == 0 else bytes_field(number, encoder(member)))
        return b"".join(parts)

    return encode


def _named(encoder: Encoder) -> Callable[[str, Any], bytes]:
    """Returns an encoder for protobuf messages with a name and a value, such as NamedSchema."""
    return lambda name, value: bytes_field(1, name.encode()) + bytes_field(2, encoder(value))


def _object(encoder: Encoder, number: int = 1) -> Encoder:
    """Returns an encoder for JSON objects with arbitrary keys, as a message with one repeated field.

    `number`: the number of the repeated field.
    """
    entry = _named(encoder)
    return lambda value: b"".join(bytes_field(number, entry(name, member)) for name, member in value.items())


def _repeated(number: int, encoder: Encoder) -> tuple[int, Encoder]:
    """Returns (0, encoder) for a repeated field of a message: the encoder writes one field per list item.

    `number`: the field number. The result is an entry for the argument `fields` of `_message`.
    """
    return 0, lambda values: b"".join(bytes_field(number, encoder(value)) for value in values)


def _flag(number: int) -> tuple[int, Encoder]:
    """Returns the field number and the encoder of a boolean or unsigned integer.

    The result is an entry for the argument `fields` of `_message`.
    """
    return 0, lambda value: varint_field(number, int(value))


def _number(number: int) -> tuple[int, Encoder]:
    """Returns the field number and the encoder of a number. The encoder writes a protobuf double.

    The result is an entry for the argument `fields` of `_message`.
    """
    return 0, lambda value: encode_varint(number << 3 | _FIXED64) + struct.pack("<d", value)


def _wrapped(number: int, encoder: Encoder) -> Encoder:
    """Returns an encoder for a message with one field.

    `number`: the field number, which selects a oneof alternative.
    """
    return lambda value: bytes_field(number, encoder(value))


def _text(value: str) -> bytes:
    return value.encode()


def _any(value: Any) -> bytes:
    return bytes_field(2, codec.encode(value))


def _type(value: str | Iterable[str]) -> bytes:
    values = [value] if isinstance(value, str) else value
    return b"".join(bytes_field(1, text.encode()) for text in values)


def _schema(value: dict[str, Any]) -> bytes:
    return _schema_message(value)


def _schema_or_flag(value: Any) -> bytes:
    """Encodes an AdditionalPropertiesItem message: a schema or a boolean."""
    return bytes_field(1, _schema(value)) if isinstance(value, dict) else varint_field(2, int(value))


def _documentation(value: dict[str, Any]) -> bytes:
    return _documentation_message(value)


def _parameter(value: dict[str, Any]) -> bytes:
    """Encodes a ParametersItem message with a BodyParameter or a NonBodyParameter."""
    place = value["in"]
    if place == "body":
        inner = bytes_field(1, _body_parameter(value))
    else:
        number = _NON_BODY[place]
        encoder = _query_parameter if place == "query" else _path_parameter
        inner = bytes_field(2, bytes_field(number, encoder(value)))
    return bytes_field(1, inner)


_documentation_message = _message({"description": (1, _text), "url": (2, _text)}, extensions=3)
_schema_message = _message(
    {
        "$ref": (1, _text),
        "format": (2, _text),
        "title": (3, _text),
        "description": (4, _text),
        "default": (5, _any),
        "multipleOf": _number(6),
        "maximum": _number(7),
        "exclusiveMaximum": _flag(8),
        "minimum": _number(9),
        "exclusiveMinimum": _flag(10),
        "maxLength": _flag(11),
        "minLength": _flag(12),
        "pattern": (13, _text),
        "maxItems": _flag(14),
        "minItems": _flag(15),
        "uniqueItems": _flag(16),
        "maxProperties": _flag(17),
        "minProperties": _flag(18),
        "required": _repeated(19, _text),
        "enum": _repeated(20, _any),
        "additionalProperties": (21, _schema_or_flag),
        "type": (22, _type),
        "items": (23, _wrapped(1, _schema)),
        "properties": (25, _object(_schema)),
        "externalDocs": (29, _documentation),
        "example": (30, _any),
    },
    extensions=31,
)
_body_parameter = _message(
    {
        "description": (1, _text),
        "name": (2, _text),
        "in": (3, _text),
        "required": _flag(4),
        "schema": (5, _schema),
    },
    extensions=6,
)
_query_parameter = _message(
    {
        "required": _flag(1),
        "in": (2, _text),
        "description": (3, _text),
        "name": (4, _text),
        "type": (6, _text),
        "uniqueItems": _flag(20),
    },
    extensions=23,
)
_path_parameter = _message(
    {
        "required": _flag(1),
        "in": (2, _text),
        "description": (3, _text),
        "name": (4, _text),
        "type": (5, _text),
        "uniqueItems": _flag(19),
    },
    extensions=22,
)
_response = _message({"description": (1, _text), "schema": (2, _wrapped(1, _schema))}, extensions=5)
_operation = _message(
    {
        "tags": _repeated(1, _text),
        "description": (3, _text),
        "operationId": (5, _text),
        "produces": _repeated(6, _text),
        "consumes": _repeated(7, _text),
        "parameters": _repeated(8, _parameter),
        "responses": (9, _object(_wrapped(1, _response))),
    },
    extensions=13,
)
_path_item = _message(
    {
        "get": (2, _operation),
        "put": (3, _operation),
        "post": (4, _operation),
        "delete": (5, _operation),
        "options": (6, _operation),
        "head": (7, _operation),
        "patch": (8, _operation),
        "parameters": _repeated(9, _parameter),
    },
    extensions=10,
)
_api_key = _message({"type": (1, _text), "name": (2, _text), "in": (3, _text), "description": (4, _text)})
_document = _message(
    {
        "swagger": (1, _text),
        "info": (2, _message({"title": (1, _text), "version": (2, _text)}, extensions=7)),
        "paths": (8, _object(_path_item, number=2)),
        "definitions": (9, _object(_schema)),
        "security": _repeated(12, _object(_type)),
        "securityDefinitions": (13, _object(_wrapped(2, _api_key))),
    },
    extensions=16,
)
