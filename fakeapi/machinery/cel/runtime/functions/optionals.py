"""CEL functions of optionals, except `or` and `orValue`: `calls.either` evaluates their argument lazily.

Follows cel-go `cel/library.go`.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel.runtime.texts import text_of
from fakeapi.machinery.cel.runtime.values import (
    NONE,
    Duration,
    Err,
    Items,
    ListValue,
    MapValue,
    Optional,
    Timestamp,
)


def is_zero(value: Any) -> bool:
    """Whether a value is the zero value of its type. Lists and maps with a schema are never zero values."""
    match value:
        case None:
            return True
        case Duration():
            return value.nanoseconds == 0
        case Timestamp():
            return False
        case ListValue() | MapValue():
            return getattr(value, "may_be_zero", True) and not len(value)
        case bool() | int() | float() | str() | bytes():
            return not value
        case Optional():
            return not value.present or is_zero(value.value)
        case _:
            return False


def _value(optional: Optional) -> Any:
    return optional.value if optional.present else Err("optional.none() dereference")


def _unwrap(values: ListValue) -> Any:
    items: list[Any] = []
    for value in values:
        if type(value) is not Optional:
            return Err(f"value {text_of(value)} is not optional")
        if value.present:
            items.append(value.value)
    return Items(items)


OVERLOADS: dict[str, Callable[..., Any]] = {
    "optional_of": Optional,
    "optional_ofNonZeroValue": lambda value: NONE if is_zero(value) else Optional(value),
    "optional_none": lambda: NONE,
    "optional_value": _value,
    "optional_hasValue": lambda optional: optional.present,
    "list_first": lambda values: Optional(values.at(0)) if len(values) else NONE,
    "list_last": lambda values: Optional(values.at(len(values) - 1)) if len(values) else NONE,
    "optional_unwrap": _unwrap,
    "optional_unwrapOpt": _unwrap,
}
