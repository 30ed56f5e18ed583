"""Encodes JSON values as CBOR; the keys of maps are sorted by their encoded bytes."""

import struct
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cbor import SELF_DESCRIBED
from fakeapi.machinery.schema.nodes import AnyValue, List, Map, Node, Scalar, ScalarKind, Struct

_INT64 = 1 << 63
_BASE64_LATER = b"\xd6"
_UNSIGNED, _NEGATIVE, _BYTES, _ARRAY, _MAP = 0x00, 0x20, 0x40, 0x80, 0xA0
_NULL, _FALSE, _TRUE = b"\xf6", b"\xf4", b"\xf5"
_Append = Callable[[bytes], None]


def encode(value: Any, node: Node | None = None) -> bytes:
    """Encodes an object as CBOR; `node` is its schema node, None if the type is unknown.

    Strings become byte strings, because Kubernetes does not check that strings are UTF-8. The base64 text of
    a `[]byte` field becomes its bytes, with the tag for base64. Floats have the shortest form without loss of
    precision.
    """
    parts = [SELF_DESCRIBED]
    _encode(value, node, parts.append)
    return b"".join(parts)


def watch_event(event_type: str, encoded: bytes) -> bytes:
    """Encodes a metav1.WatchEvent as CBOR.

    `event_type`: the type of the event, such as "ADDED"
    `encoded`: the CBOR of its object
    """
    kind = event_type.encode()
    return b"".join((SELF_DESCRIBED, b"\xa2\x44type", _head(_BYTES, len(kind)), kind, b"\x46object", encoded))


def _encode(value: Any, node: Node | None, append: _Append) -> None:
    match value:
        case str():
            _text(value, node, append)
        case dict():
            _map(value, node, append)
        case None:
            append(_NULL)
        case bool():
            append(_TRUE if value else _FALSE)
        case int() if -_INT64 <= value < _INT64:
            append(_head(_UNSIGNED, value) if value >= 0 else _head(_NEGATIVE, -1 - value))
        case int() | float():
            append(_float(float(value)))
        case list():
            inner = node.items if isinstance(node, List) else None
            append(_head(_ARRAY, len(value)))
            for item in value:
                _encode(item, inner, append)
        case _:
            raise TypeError(type(value))


def _text(value: str, node: Node | None, append: _Append) -> None:
    data = value.encode("utf-8", "surrogatepass")
    if isinstance(node, Scalar) and node.kind is ScalarKind.BYTES:
        data = b64decode(data)
        append(_BASE64_LATER)
    append(_head(_BYTES, len(data)))
    append(data)


def _map(value: dict[str, Any], node: Node | None, append: _Append) -> None:
    if isinstance(node, AnyValue):
        node = node.choice() if node.choice is not None else None
    fields = node.fields if isinstance(node, Struct) else None
    values = node.values if isinstance(node, Map) else None
    append(_head(_MAP, len(value)))
    for key, name in sorted((_key(name), name) for name in value):
        append(key)
        field = fields.get(name) if fields is not None else None
        _encode(value[name], values if field is None else field.node, append)


def _key(name: str) -> bytes:
    data = name.encode("utf-8", "surrogatepass")
    return _head(_BYTES, len(data)) + data


def _head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes((major | argument,))
    for more, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << 8 * size:
            return bytes((major | more,)) + argument.to_bytes(size, "big")
    raise OverflowError(argument)


def _float(value: float) -> bytes:
    for head, form in ((b"\xf9", ">e"), (b"\xfa", ">f")):
        try:
            packed = struct.pack(form, value)
        except OverflowError:
            continue
        if struct.unpack(form, packed)[0] == value:
            return head + packed
    return b"\xfb" + struct.pack(">d", value)
