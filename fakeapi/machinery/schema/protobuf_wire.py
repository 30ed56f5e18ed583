"""Decodes and encodes the wire format of protobuf: messages of numbered fields, each a number or bytes.

Schemas define the meaning of fields, so neither descriptors nor a protobuf runtime are needed.
"""

from typing import TypeAlias

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
Fields: TypeAlias = dict[int, list[int | bytes]]
"""The values of a message by field number, in order of occurrence.

Varints are ints; all other values, including fixed64 and fixed32, are bytes.
"""

_VARINT_BYTES_MAX = 10
_SIZES = {FIXED64: 8, FIXED32: 4}


class WireError(ValueError):
    """Raised if bytes are malformed protobuf. The message comes from Go's protobuf runtime."""


def fields_of(data: bytes) -> Fields:
    """Splits a protobuf message into its fields. Raises WireError if the bytes are malformed."""
    fields: Fields = {}
    at, size = 0, len(data)
    while at < size:
        key = data[at]
        at += 1
        if key > 0x7F:
            key, at = varint(data, at - 1)
        value: int | bytes
        if key & 7 == VARINT:
            value, at = varint(data, at)
        else:
            length, at = _length(data, at, key & 7)
            value, at = data[at : at + length], at + length
            if at > size:
                raise WireError("unexpected EOF")
        fields.setdefault(key >> 3, []).append(value)
    return fields


def _length(data: bytes, at: int, wire_type: int) -> tuple[int, int]:
    if wire_type == BYTES:
        return varint(data, at)
    if wire_type not in _SIZES:
        raise WireError(f"proto: illegal wireType {wire_type}")
    return _SIZES[wire_type], at


def varint(data: bytes, at: int) -> tuple[int, int]:
    """Reads a varint at an offset; returns (number from 0 to 2^64-1, end offset).

    Raises WireError if the varint is truncated or too long.
    """
    if at < len(data) and data[at] < 0x80:
        return data[at], at + 1
    value = 0
    for place, byte in enumerate(data[at : at + _VARINT_BYTES_MAX]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & ((1 << 64) - 1), at + place + 1
    raise WireError("proto: integer overflow" if len(data) - at >= _VARINT_BYTES_MAX else "unexpected EOF")


def packed(values: list[int | bytes]) -> list[int]:
    """Returns the numbers of a repeated field, whether packed into bytes or not.

    Raises WireError if packed bytes are malformed.
    """
    numbers: list[int] = []
    for value in values:
        if isinstance(value, int):
            numbers.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            numbers.append(number)
    return numbers


def signed(value: int, bits: int = 64) -> int:
    """Converts the lower `bits` bits of a number to a signed integer: 2**64 - 1 becomes -1."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def varint_field(number: int, value: int) -> bytes:
    """Encodes a protobuf field with a varint; `value` must not be negative."""
    return encode_varint(number << 3 | VARINT) + encode_varint(value)


def bytes_field(number: int, content: bytes) -> bytes:
    """Encodes a protobuf field with bytes: a string, a message or bytes."""
    return b"%b%b%b" % (encode_varint(number << 3 | BYTES), encode_varint(len(content)), content)


def encode_varint(value: int) -> bytes:
    """Encodes a non-negative number as a varint: seven bits in each byte, the lowest bits first."""
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
