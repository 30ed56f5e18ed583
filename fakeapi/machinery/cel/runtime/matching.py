"""Checks the arguments of a call against the types that its overload declares.

Follows cel-go `common/decls` (signature matching at run time).
"""

from collections.abc import Callable, Sequence
from typing import Any

from fakeapi.machinery.cel.declarations import Overload
from fakeapi.machinery.cel.runtime.values import MISSING, NO_OVERLOAD, Err, ListValue, MapValue, type_name
from fakeapi.machinery.cel.types import Type

_TERSE = frozenset(("contains_string", "ends_with_string", "starts_with_string"))
"""Ids of overloads whose error for a wrong argument type does not name the function."""


_RUNTIME_NAMES = {
    "duration": "google.protobuf.Duration",
    "timestamp": "google.protobuf.Timestamp",
    "null": "null_type",
}


def guarded(name: str, overload: Overload, implementation: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps an implementation, so that it returns an `Err` if arguments do not have the overload's types."""
    if all(of.kind == "param" or of.is_dyn for of in overload.arguments):
        return implementation

    terse = overload.id in _TERSE

    def call(*arguments: Any) -> Any:
        if accepts(overload, arguments):
            return implementation(*arguments)
        return NO_OVERLOAD if terse else no_such_overload(name, arguments)

    return call


def accepts(overload: Overload, arguments: Sequence[Any]) -> bool:
    """Whether arguments have the number and types that an overload declares."""
    if len(arguments) != len(overload.arguments):
        return False
    return all(_fits(of, value) for of, value in zip(overload.arguments, arguments, strict=True))


def _fits(of: Type, value: Any) -> bool:
    """Whether a value has a declared type. In lists and maps, checks only the first item or entry."""
    if of.kind == "param" or of.is_dyn:
        return True
    if of.kind == "list":
        return isinstance(value, ListValue) and (not len(value) or _fits(of.parameters[0], value.at(0)))
    if of.kind == "map":
        if not isinstance(value, MapValue):
            return False
        key = next(iter(value), MISSING)
        return key is MISSING or (_fits(of.parameters[0], key) and _fits(of.parameters[1], value.find(key)))
    return type_name(value) == _RUNTIME_NAMES.get(of.kind, of.name or of.kind)


def no_such_overload(name: str, arguments: Sequence[Any]) -> Err:
    """Returns the CEL error of a call whose arguments do not fit any overload."""
    return Err(f"no such overload: {name}({', '.join(map(type_name, arguments))})")
