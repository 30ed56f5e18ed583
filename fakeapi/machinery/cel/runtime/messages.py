"""Constructs protobuf messages in CEL expressions, such as `google.protobuf.Duration{seconds: 1}`.

Follows cel-go `common/types/provider.go`, for well-known messages only.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel.runtime.constructed import Constructed, is_constructed
from fakeapi.machinery.cel.runtime.functions.operators import a_duration, a_timestamp
from fakeapi.machinery.cel.runtime.memory import ENTRY_BYTES, take
from fakeapi.machinery.cel.runtime.values import SECOND, Err, UInt

_PREFIX = "google.protobuf."


def _nanoseconds(fields: dict[str, Any]) -> int:
    return int(fields.get("seconds", 0)) * SECOND + int(fields.get("nanos", 0))


def _wrapper(zero: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda fields: fields.get("value", zero)


_MAKERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "Duration": lambda fields: a_duration(_nanoseconds(fields)),
    "Timestamp": lambda fields: a_timestamp(_nanoseconds(fields)),
    "BoolValue": _wrapper(zero=False),
    "BytesValue": _wrapper(b""),
    "StringValue": _wrapper(""),
    **dict.fromkeys(("DoubleValue", "FloatValue"), _wrapper(0.0)),
    **dict.fromkeys(("Int32Value", "Int64Value"), _wrapper(0)),
    **dict.fromkeys(("UInt32Value", "UInt64Value"), _wrapper(UInt(0))),
}


def message(name: str, fields: dict[str, Any]) -> Any:
    """Constructs the CEL value of a protobuf message, or of an object such as `Object.spec`.

    Returns an `Err` for an unknown type, and for a duration or timestamp out of range.
    """
    if is_constructed(name):
        take(len(fields) * ENTRY_BYTES)
        return Constructed(name, fields)
    make = _MAKERS.get(name.removeprefix(_PREFIX)) if name.startswith(_PREFIX) else None
    return Err(f"unknown type: {name}") if make is None else make(fields)
