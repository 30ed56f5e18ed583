"""CEL functions that convert between types, such as `int('1')`.

Follows `ConvertToType` of cel-go `common/types`.
"""

import math
from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel.runtime.functions.operators import (
    INT_OVERFLOW,
    TIMESTAMP_OVERFLOW,
    UINT_OVERFLOW,
    a_timestamp,
)
from fakeapi.machinery.cel.runtime.functions.times import parsed_duration, parsed_timestamp
from fakeapi.machinery.cel.runtime.texts import double_text, duration_text, timestamp_text
from fakeapi.machinery.cel.runtime.values import (
    INT_MAX,
    INT_MIN,
    SECOND,
    UINT_MAX,
    Err,
    TypeValue,
    UInt,
    type_name,
)
from fakeapi.machinery.golang.numbers import parse_int, parse_uint


def unconvertible(value: Any, to: str) -> Err:
    return Err(f"type conversion error from '{type_name(value)}' to '{to}'")


def _text_to(to: str, parse: Callable[[str], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            return parse(text)
        except ValueError:
            return unconvertible(text, to)

    return convert


_BOOLS = {
    **dict.fromkeys(("1", "t", "T", "true", "TRUE", "True"), True),
    **dict.fromkeys(("0", "f", "F", "false", "FALSE", "False"), False),
}


def _bool(text: str) -> bool:
    if text not in _BOOLS:
        raise ValueError(text)
    return _BOOLS[text]


def _double(text: str) -> float:
    """Parses a double like Go's ParseFloat: no spaces, no underscores, hexadecimal only with an exponent.

    Raises ValueError if the text is not a double or is too large for a double.
    """
    if text != text.strip() or "_" in text or not text.isascii():
        raise ValueError(text)
    if "x" in text.lower():
        if "p" not in text.lower():
            raise ValueError(text)
        try:
            return float.fromhex(text)
        except OverflowError:
            raise ValueError(text) from None
    number = float(text)
    if math.isinf(number) and "inf" not in text.lower():
        raise ValueError(text)
    return number


def _double_to_int(value: float) -> Any:
    if math.isnan(value) or not float(INT_MIN) < value < float(INT_MAX):
        return INT_OVERFLOW
    return int(value)


def _double_to_uint(value: float) -> Any:
    if math.isnan(value) or value < 0 or value >= float(UINT_MAX):
        return UINT_OVERFLOW
    return UInt(value)


def _int_to_timestamp(value: int) -> Any:
    stamp = a_timestamp(value * SECOND)
    return TIMESTAMP_OVERFLOW if type(stamp) is Err else stamp


def _bytes_to_string(value: bytes) -> Any:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return Err("invalid UTF-8 in bytes, cannot convert to string")


def _same(value: Any) -> Any:
    return value


SINGLETONS: dict[str, Callable[..., Any]] = {
    "dyn": _same,
    "type": lambda value: TypeValue(type_name(value)),
}

OVERLOADS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(
        (
            "bool_to_bool",
            "bytes_to_bytes",
            "double_to_double",
            "duration_to_duration",
            "int64_to_int64",
            "string_to_string",
            "timestamp_to_timestamp",
            "uint64_to_uint64",
        ),
        _same,
    ),
    "string_to_bool": _text_to("bool", _bool),
    "string_to_bytes": lambda text: text.encode("utf-8", "surrogatepass"),
    "int64_to_double": float,
    "uint64_to_double": float,
    "string_to_double": _text_to("double", _double),
    "int64_to_duration": lambda value: unconvertible(value, "google.protobuf.Duration"),
    "string_to_duration": _text_to("google.protobuf.Duration", parsed_duration),
    "double_to_int64": _double_to_int,
    "duration_to_int64": lambda value: value.nanoseconds,
    "string_to_int64": _text_to("int", parse_int),
    "timestamp_to_int64": lambda value: value.nanoseconds // SECOND,
    "uint64_to_int64": lambda value: int(value) if value <= INT_MAX else INT_OVERFLOW,
    "bool_to_string": lambda value: "true" if value else "false",
    "bytes_to_string": _bytes_to_string,
    "double_to_string": double_text,
    "duration_to_string": lambda value: duration_text(value.nanoseconds),
    "int64_to_string": str,
    "timestamp_to_string": timestamp_text,
    "uint64_to_string": str,
    "int64_to_timestamp": _int_to_timestamp,
    "string_to_timestamp": _text_to("google.protobuf.Timestamp", parsed_timestamp),
    "double_to_uint64": _double_to_uint,
    "int64_to_uint64": lambda value: UInt(value) if value >= 0 else UINT_OVERFLOW,
    "string_to_uint64": _text_to("uint", lambda text: UInt(parse_uint(text))),
}
