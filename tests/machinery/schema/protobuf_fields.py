"""Encodes a single protobuf field: a varint or a length-delimited value."""


def number(value: int) -> bytes:
    """Encodes an integer as a protobuf varint; a negative integer as 64 bits in two's complement."""
    value &= (1 << 64) - 1
    data = b""
    while value > 0x7F:
        data, value = data + bytes([value & 0x7F | 0x80]), value >> 7
    return data + bytes([value])


def integer(field: int, value: int) -> bytes:
    """Encodes a protobuf field with a varint value. `field`: the field number."""
    return number(field << 3) + number(value)


def blob(field: int, value: bytes) -> bytes:
    """Encodes a length-delimited protobuf field, such as a string or a message. `field`: the field number."""
    return number(field << 3 | 2) + number(len(value)) + value
