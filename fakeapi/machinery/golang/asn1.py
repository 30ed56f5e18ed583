"""Checks the structure of DER-encoded data, with the errors of Go's encoding/asn1.

Follows `parseField` and `parseTagAndLength`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

INTEGER, BIT_STRING, OBJECT_IDENTIFIER, SEQUENCE = 2, 3, 6, 16
_LONG_TAG: Final = 0x1F
_LENGTH_MAX: Final = 1 << 23
_INTEGER_BYTES_MAX: Final = 8
_PLAIN: Final = (
    "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> "
    "stringType:0 timeType:0 set:false omitEmpty:false}"
)
"""Go's default field parameters, as in error messages."""


class Asn1Error(ValueError):
    """DER data that Go's encoding/asn1 rejects, with Go's message."""


@dataclass(frozen=True, slots=True)
class Form:
    """The required structure of a DER value.

    - `name`: the name of the Go type, for error messages.
    - `tag`: the universal tag; None for any tag.
    - `fields`: the first elements of a sequence; more elements may follow.
    - `optional`: whether the value may be absent at the end of a sequence.
    - `context`: the number of a context-specific tag; None if the value has a universal tag. A value with a
      context-specific tag may contain any values.
    """

    name: str
    tag: int | None = None
    fields: Sequence["Form"] = ()
    optional: bool = False
    context: int | None = None


@dataclass(frozen=True, slots=True)
class _Head:
    kind: int
    tag: int
    length: int
    is_compound: bool

    def __str__(self) -> str:
        compound = str(self.is_compound).lower()
        return f"{{class:{self.kind} tag:{self.tag} length:{self.length} isCompound:{compound}}}"


def check(content: bytes, form: Form) -> None:
    """Raises Asn1Error unless the content is exactly one DER value with the structure `form`."""
    if _value(content, 0, form) != len(content):
        raise _syntax("trailing data")


def _syntax(text: str) -> Asn1Error:
    return Asn1Error(f"asn1: syntax error: {text}")


def _structural(text: str) -> Asn1Error:
    return Asn1Error(f"asn1: structure error: {text}")


def _value(content: bytes, offset: int, form: Form) -> int:
    """Checks the DER value that begins at `offset` of `content`, and returns its end offset.

    Raises Asn1Error if the value does not have the structure `form`.
    """
    if offset == len(content):
        if form.optional:
            return offset
        raise _syntax("sequence truncated")
    head, offset = _head(content, offset)
    if not _fits(head, form):
        raise _structural(f"tags don't match ({form.tag} vs {head}) {_PLAIN} {form.name} @{offset}")
    end = offset + head.length
    if end > len(content):
        raise _syntax("data truncated")
    inner = content[offset:end]
    match form.tag:
        case 16:
            at = 0
            for field in form.fields:
                at = _value(inner, at, field)
        case 2:
            _check_integer(inner)
        case 3:
            _check_bits(inner)
        case 6:
            _check_identifier(inner)
    if form.context is not None:
        _check_values(inner)
    return end


def _fits(head: _Head, form: Form) -> bool:
    if form.context is not None:
        return (head.kind, head.tag, head.is_compound) == (2, form.context, True)
    return form.tag is None or (head.kind, head.tag, head.is_compound) == (0, form.tag, form.tag == SEQUENCE)


def _head(content: bytes, offset: int) -> tuple[_Head, int]:
    first, offset = content[offset], offset + 1
    tag = first & _LONG_TAG
    if tag == _LONG_TAG:
        tag, offset = _base_128(content, offset)
        if tag < _LONG_TAG:
            raise _syntax("non-minimal tag")
    length, offset = _length(content, offset)
    return _Head(first >> 6, tag, length, bool(first & 0x20)), offset


def _length(content: bytes, offset: int) -> tuple[int, int]:
    first, offset = _byte(content, offset)
    if not first & 0x80:
        return first, offset
    if first == 0x80:
        raise _syntax("indefinite length found (not DER)")
    length = 0
    for _ in range(first & 0x7F):
        byte, offset = _byte(content, offset)
        if length >= _LENGTH_MAX:
            raise _structural("length too large")
        length = length << 8 | byte
        if not length:
            raise _structural("superfluous leading zeros in length")
    if length < 0x80:
        raise _structural("non-minimal length")
    return length, offset


def _byte(content: bytes, offset: int) -> tuple[int, int]:
    if offset >= len(content):
        raise _syntax("truncated tag or length")
    return content[offset], offset + 1


def _base_128(content: bytes, offset: int) -> tuple[int, int]:
    number = 0
    for count, byte in enumerate(content[offset:]):
        if count == 5:
            raise _structural("base 128 integer too large")
        if not count and byte == 0x80:
            raise _syntax("integer is not minimally encoded")
        number = number << 7 | byte & 0x7F
        if not byte & 0x80:
            if number >= 1 << 31:
                raise _structural("base 128 integer too large")
            return number, offset + count + 1
    raise _syntax("truncated base 128 integer")


def _check_integer(content: bytes) -> None:
    if not content:
        raise _structural("empty integer")
    if len(content) > 1 and content[0] in (0, 0xFF) and (content[0] ^ content[1]) & 0x80 == 0:
        raise _structural("integer not minimally-encoded")
    if len(content) > _INTEGER_BYTES_MAX:
        raise _structural("integer too large")


def _check_bits(content: bytes) -> None:
    if not content:
        raise _syntax("zero length BIT STRING")
    padding = content[0]
    if padding > 7 or (len(content) == 1 and padding) or content[-1] & ((1 << padding) - 1):
        raise _syntax("invalid padding bits in BIT STRING")


def _check_identifier(content: bytes) -> None:
    if not content:
        raise _syntax("zero length OBJECT IDENTIFIER")
    offset = 0
    while offset < len(content):
        _, offset = _base_128(content, offset)


def _check_values(content: bytes) -> None:
    offset = 0
    while offset < len(content):
        head, offset = _head(content, offset)
        offset += head.length
        if offset > len(content):
            raise _syntax("truncated sequence")
