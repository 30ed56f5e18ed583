"""Writes single protobuf fields by hand: varints and length-delimited values."""


def number(value: int) -> bytes:
    """Returns a varint."""
    value &= (1 << 64) - 1
    data = b""
    while value > 0x7F:
        data, value = data + bytes([value & 0x7F | 0x80]), value >> 7
    return data + bytes([value])


def integer(field: int, value: int) -> bytes:
    """Returns a field with a varint."""
    return number(field << 3) + number(value)


def blob(field: int, value: bytes) -> bytes:
    """Returns a length-delimited field: bytes, a string or a message."""
    return number(field << 3 | 2) + number(len(value)) + value
