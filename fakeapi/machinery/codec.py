"""JSON in and out: the only module that knows which library does it."""

from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class JsonError(ValueError):
    """Bytes that are not JSON, or JSON nested deeper than the decoder goes."""


def encode(value: Any) -> bytes:
    """Compact JSON; keys keep their order."""
    return _encode(value)


def in_key_order(value: Any) -> Any:
    """The value with the keys of all its objects sorted, as Go writes what it holds in maps."""
    if isinstance(value, dict):
        return {key: in_key_order(item) for key, item in sorted(value.items())}
    return [in_key_order(item) for item in value] if isinstance(value, list) else value


def decode(data: bytes | str) -> Any:
    """The value of JSON text. Of duplicate keys the last wins. Raises JsonError."""
    try:
        return _decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise JsonError(str(error)) from error
