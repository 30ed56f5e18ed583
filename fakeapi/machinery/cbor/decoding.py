"""Decodes CBOR to JSON values, in one pass over the data.

Error messages and limits are the same as in github.com/fxamacker/cbor with the options of Kubernetes.
"""

import struct
from base64 import b64encode, urlsafe_b64encode
from typing import Any, Final

from fakeapi.machinery.cbor import CborError
from fakeapi.machinery.golang.strconv import quote

LEVELS_MAX: Final = 64
"""Maximum nesting depth of arrays, maps and tags."""
ELEMENTS_MAX: Final = 1024
"""Maximum number of elements in an array."""
PAIRS_MAX: Final = 1024
"""Maximum number of key-value pairs in a map."""

_TYPES = (
    "positive integer",
    "negative integer",
    "byte string",
    "UTF-8 text string",
    "array",
    "map",
    "tag",
    "primitives",
)
_BYTES, _TEXT, _ARRAY, _MAP, _TAG, _PRIMITIVE = 2, 3, 4, 5, 6, 7
_BREAK = 0xFF
_INDEFINITE = 31
_INT64 = 1 << 63
_END = "unexpected EOF"
_BASE64URL, _BASE64, _BASE16 = 21, 22, 23
_BIGNUMS = (2, 3)
_FLOATS = {25: ">e", 26: ">f", 27: ">d"}
_SIMPLE = {20: False, 21: True, 22: None}


def decode(data: bytes) -> Any:
    """Decodes one CBOR data item to a JSON value.

    Byte strings become text; a tag can request base64 or hexadecimal digits instead. Most other tags are
    ignored. Raises CborError if the data is malformed or Kubernetes rejects it, such as for bignums.
    """
    if not data:
        raise CborError("EOF")
    decoder = _Decoder(data)
    value = decoder.item(0)
    if decoder.at != len(data):
        left = len(data) - decoder.at
        raise CborError(f"cbor: {left} bytes of extraneous data starting at index {decoder.at}")
    if decoder.problem is not None:
        raise decoder.problem
    return value


def split(data: bytes) -> list[bytes]:
    """Splits a CBOR sequence (RFC 8742) into its encoded data items.

    Raises CborError for malformed data, for data over a limit, and for values of forbidden types, such as NaN
    and bignums. Ignores other invalid values.
    """
    decoder, items = _Decoder(data), list[bytes]()
    while decoder.at < len(data):
        start = decoder.at
        decoder.item(0)
        items.append(data[start : decoder.at])
    return items


class _Decoder:
    """Reads CBOR data items, from the offset `at`.

    `problem`: the error for the first invalid value in well-formed data; None if all values are valid.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.problem: CborError | None = None

    def item(self, level: int) -> Any:
        """Reads the next data item; `level` is its nesting depth.

        Raises CborError for malformed data, for data over a limit, and for values of forbidden types, such as
        NaN and bignums. Other invalid values set `problem`.
        """
        major, more, argument = self._head()
        match major:
            case 0 | 1:
                return self._integer(major, argument, level)
            case 2 | 3:
                return self._string(major, more, argument, level)
            case 4:
                return self._array(more, argument, self._deeper(level))
            case 5:
                return self._map(more, argument, self._deeper(level))
            case 6:
                return self._tagged(argument, level)
        return self._primitive(more, argument, level)

    def _deeper(self, level: int) -> int:
        if level >= LEVELS_MAX:
            raise CborError(f"cbor: exceeded max nested level {LEVELS_MAX}")
        return level + 1

    def _wrong(self, text: str, level: int) -> None:
        if self.problem is None:
            self.problem = CborError(text, max(level, 1))

    def _head(self) -> tuple[int, int, int]:
        """Reads the head of a data item; returns (major type, additional information, argument).

        Raises CborError for malformed data.
        """
        if self.at >= len(self.data):
            raise CborError(_END)
        first = self.data[self.at]
        self.at += 1
        major, more = first >> 5, first & 31
        if more < 24:
            return major, more, more
        if more < 28:
            return major, more, int.from_bytes(self._take(1 << more - 24), "big")
        if more == _INDEFINITE and major in (_BYTES, _TEXT, _ARRAY, _MAP):
            return major, more, 0
        if more == _INDEFINITE and major == _PRIMITIVE:
            raise CborError('cbor: unexpected "break" code')
        raise CborError(f"cbor: invalid additional information {more} for type {_TYPES[major]}")

    def _take(self, size: int) -> bytes:
        if len(self.data) - self.at < size:
            raise CborError(_END)
        self.at += size
        return self.data[self.at - size : self.at]

    def _ends(self) -> bool:
        """Whether an indefinite-length item ends at the offset `at`; if so, skips the break code.

        Raises CborError at the end of the data.
        """
        if self.at >= len(self.data):
            raise CborError(_END)
        if self.data[self.at] != _BREAK:
            return False
        self.at += 1
        return True

    def _integer(self, major: int, argument: int, level: int) -> int:
        if argument >= _INT64:
            number = argument if major == 0 else -1 - argument
            self._wrong(
                f"cbor: cannot unmarshal {_TYPES[major]} into Go value of type int64 "
                f"({number} overflows Go's int64)",
                level,
            )
        return argument if major == 0 else -1 - argument

    def _string(self, major: int, more: int, argument: int, level: int) -> str:
        raw = self._chunks(major) if more == _INDEFINITE else self._chunk(major, argument)
        if major == _BYTES:
            return raw.decode("utf-8", "replace")
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self._wrong("cbor: invalid UTF-8 string", level)
            return ""

    def _chunk(self, major: int, size: int) -> bytes:
        if size >= _INT64:
            raise CborError(f"cbor: {_TYPES[major]} length {size} is too large, causing integer overflow")
        return self._take(size)

    def _chunks(self, major: int) -> bytes:
        chunks = []
        while not self._ends():
            kind, more, size = self._head()
            if kind != major:
                expected = f"indefinite-length {_TYPES[major]}"
                raise CborError(f"cbor: wrong element type {_TYPES[kind]} for {expected}")
            if more == _INDEFINITE:
                raise CborError(f"cbor: indefinite-length {_TYPES[major]} chunk is not definite-length")
            chunks.append(self._chunk(major, size))
        return b"".join(chunks)

    def _array(self, more: int, size: int, level: int) -> list[Any]:
        too_many = f"cbor: exceeded max number of elements {ELEMENTS_MAX} for CBOR array"
        if size > ELEMENTS_MAX:
            raise CborError(too_many if size < _INT64 else _too_long(_ARRAY, size))
        if more != _INDEFINITE:
            return [self.item(level) for _ in range(size)]
        items: list[Any] = []
        while not self._ends():
            items.append(self.item(level))
            if len(items) > ELEMENTS_MAX:
                raise CborError(too_many)
        return items

    def _map(self, more: int, size: int, level: int) -> dict[str, Any]:
        too_many = f"cbor: exceeded max number of key-value pairs {PAIRS_MAX} for CBOR map"
        if size > PAIRS_MAX:
            raise CborError(too_many if size < _INT64 else _too_long(_MAP, size))
        members: dict[str, Any] = {}
        pairs = 0
        while not self._ends() if more == _INDEFINITE else pairs < size:
            kind = _TYPES[self.data[self.at] >> 5] if self.at < len(self.data) else ""
            key = self.item(level)
            if more == _INDEFINITE and self._ends():
                raise CborError('cbor: unexpected "break" code')
            if not isinstance(key, str):
                self._wrong(f"cbor: cannot unmarshal {kind} into Go value of type string", level)
                key = ""
            elif key in members:
                repeated = f"cbor: found duplicate map key {quote(key)} at map element index {pairs}"
                self._wrong(repeated, level)
            members[key] = self.item(level)
            pairs += 1
            if pairs > PAIRS_MAX:
                raise CborError(too_many)
        return members

    def _tagged(self, number: int, level: int) -> Any:
        while True:
            if self.at >= len(self.data):
                raise CborError(_END)
            if number in _BIGNUMS:
                raise CborError("cbor: data item of cbor type tag is not accepted by protocol: bignum")
            self._check_time(number)
            if self.data[self.at] >> 5 != _TAG:
                break
            level = self._deeper(level)
            number = self._head()[2]
        if number not in (_BASE64URL, _BASE64, _BASE16) or self.data[self.at] >> 5 != _BYTES:
            return self.item(level)
        _, more, size = self._head()
        raw = self._chunks(_BYTES) if more == _INDEFINITE else self._chunk(_BYTES, size)
        if number == _BASE64:
            return b64encode(raw).decode()
        return urlsafe_b64encode(raw).rstrip(b"=").decode() if number == _BASE64URL else raw.hex()

    def _check_time(self, number: int) -> None:
        """Raises CborError if a tag for times (`number` 0 or 1) precedes an item that is not a time."""
        first = self.data[self.at]
        major = first >> 5
        if number == 0 and major != _TEXT:
            raise CborError(f"cbor: tag number 0 must be followed by text string, got {_TYPES[major]}")
        if number == 1 and major > 1 and not (major == _PRIMITIVE and first & 31 in _FLOATS):
            expected = "integer or floating-point number"
            raise CborError(f"cbor: tag number 1 must be followed by {expected}, got {_TYPES[major]}")

    def _primitive(self, more: int, argument: int, level: int) -> bool | float | None:
        if more in _FLOATS:
            size = 1 << more - 24
            value: float = struct.unpack(_FLOATS[more], argument.to_bytes(size, "big"))[0]
            if value != value:  # noqa: PLR0124 - NaN differs from itself
                raise CborError(_refused("floating-point NaN"))
            if value in (float("inf"), float("-inf")):
                raise CborError(_refused("floating-point infinity"))
            return value
        if more == 24 and argument < 32:
            raise CborError(f"cbor: invalid simple value {argument} for type {_TYPES[_PRIMITIVE]}")
        if argument not in _SIMPLE:
            self._wrong(_refused(f"simple value {argument} is not recognized"), level)
            return None
        return _SIMPLE[argument]


def _too_long(major: int, size: int) -> str:
    return f"cbor: {_TYPES[major]} length {size} is too large, it would cause integer overflow"


def _refused(what: str) -> str:
    return f"cbor: data item of cbor type {_TYPES[_PRIMITIVE]} is not accepted by protocol: {what}"
