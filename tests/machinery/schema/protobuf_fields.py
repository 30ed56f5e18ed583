"""Encodes single protobuf fields: varints and length-delimited values."""


def number(value: int) -> bytes:
    """Returns the protobuf varint of an integer, negative integers as 64 bits in two's complement."""
    value &= (1 << 64) - 1
    data = b""
    while value > 0x7F:
        data, value = data + bytes([value & 0x7F | 0x80]), value >> 7
    return data + bytes([value])


def integer(field: int, value: int) -> bytes:
    """Returns a protobuf field with a varint. `field`: the field's number."""
    return number(field << 3) + number(value)


def blob(field: int, value: bytes) -> bytes:
    """Returns a length-delimited protobuf field, such as a string or a message. `field`: its number."""
    return number(field << 3 | 2) + number(len(value)) + value
