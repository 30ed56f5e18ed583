"""Computes the cost of calls at run time, from the actual arguments and results.

Follows k8s.io/apiserver `pkg/cel/library/cost.go` (CallCost), cel-go `interpreter/runtimecost.go` and the
cost trackers of `ext`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from fakeapi.machinery.cel.runtime.functions.formats import NamedFormat
from fakeapi.machinery.cel.runtime.memory import look
from fakeapi.machinery.cel.runtime.values import Err, ListValue, MapValue, Opaque, size_of

_TRAVERSAL = 0.1
_PATTERN = 0.25
LIST, MAP, STRUCT = 10, 30, 40
"""CEL cost units of constructing a list, a map and a struct."""

Cost = Callable[[Sequence[Any], Any], int]
"""A function that computes the cost of a call: (arguments, result) -> CEL cost units."""


def _scan(text: Any, factor: float = _TRAVERSAL) -> int:
    return math.ceil(size_of(text) * factor)


def one(arguments: Sequence[Any], result: Any) -> int:
    """Returns 1, the cost of most calls in CEL cost units."""
    return 1


def _scans_first(arguments: Sequence[Any], result: Any) -> int:
    return _scan(arguments[0])


def _scans_second(arguments: Sequence[Any], result: Any) -> int:
    return _scan(arguments[1])


def _copies(arguments: Sequence[Any], result: Any) -> int:
    return math.ceil(size_of(arguments[0]) * 2 * _TRAVERSAL)


def _joins(arguments: Sequence[Any], result: Any) -> int:
    return math.ceil(size_of(result) * 2 * _TRAVERSAL)


def _searches(arguments: Sequence[Any], result: Any) -> int:
    return math.ceil((1.0 + size_of(arguments[0])) * _TRAVERSAL) * _scan(arguments[1], _PATTERN)


def _contains(arguments: Sequence[Any], result: Any) -> int:
    return _scan(arguments[0]) * _scan(arguments[1])


def _validates(arguments: Sequence[Any], result: Any) -> int:
    named = arguments[0]
    if not isinstance(named, NamedFormat):
        return 1
    return math.ceil((1.0 + size_of(arguments[1])) * _TRAVERSAL) * math.ceil(named.pattern_size * _PATTERN)


def _traversal(value: Any) -> int:
    """Returns the cost of reading a value: 0.1 cost units for each byte of a string, 1 for other scalars."""
    match value:
        case str():
            return int(len(value.encode("utf-8", "surrogatepass")) * _TRAVERSAL)
        case bytes():
            return int(len(value) * _TRAVERSAL)
        case ListValue():
            look(len(value))
            return sum(map(_traversal, value))
        case MapValue():
            look(len(value))
            return sum(_traversal(key) + _traversal(value.find(key)) for key in value)
        case _:
            return 1


def _traverses(arguments: Sequence[Any], result: Any) -> int:
    return _traversal(arguments[0])


def _compares(arguments: Sequence[Any], result: Any) -> int:
    return math.ceil(min(size_of(arguments[0]), size_of(arguments[1])) * _TRAVERSAL)


def _equals(arguments: Sequence[Any], result: Any) -> int:
    return 1 if isinstance(arguments[0], Opaque) else _compares(arguments, result)


def _adds(arguments: Sequence[Any], result: Any) -> int:
    return math.ceil((size_of(arguments[0]) + size_of(arguments[1])) * _TRAVERSAL)


def _contains_address(arguments: Sequence[Any], result: Any) -> int:
    return math.ceil(2 * size_of(arguments[0]) * _TRAVERSAL)


def _contains_block(arguments: Sequence[Any], result: Any) -> int:
    return _contains_address(arguments, result) + _scan(arguments[0]) + 1


def _parses_too(cost: Cost) -> Cost:
    return lambda arguments, result: cost(arguments, result) + _scan(arguments[1])


def _ip(arguments: Sequence[Any], result: Any) -> int:
    return _scan(arguments[0]) if type(arguments[0]) is str else 1


def _makes_list(factor: float, size: int) -> int:
    return int(size * factor) + 1 + LIST


class UncountableError(Exception):
    """The cost of a call cannot be computed. cel-go's program then fails with an internal error."""


def _compares_items(values: Any) -> int:
    if type(values) is Err:
        missing = "*types.Err is not traits.Lister: missing method Add"
        raise UncountableError(f"interface conversion: {missing}")
    size = size_of(values)
    factor = 2.0
    if size and isinstance(values, ListValue) and type(values.at(0)) in {str, bytes}:
        factor += _TRAVERSAL
    return _makes_list(factor, size * size)


def _set(factor: int) -> Cost:
    return lambda arguments, result: size_of(arguments[0]) * size_of(arguments[1]) * factor + 1


_BY_FUNCTION: dict[str, Cost] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _traverses),
    **dict.fromkeys(
        [
            "url",
            "lowerAscii",
            "upperAscii",
            "substring",
            "trim",
            "cidr",
            "isIP",
            "isCIDR",
            "quantity",
            "isQuantity",
            "semver",
            "isSemver",
        ],
        _scans_first,
    ),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _copies),
    **dict.fromkeys(("find", "findAll"), _searches),
    "join": _joins,
    "ip": _ip,
    "containsIP": _contains_address,
    "containsCIDR": _contains_block,
    "validate": _validates,
    "_==_": _equals,
    "_!=_": _compares,
}

_SORTED = (
    "int",
    "uint",
    "double",
    "bool",
    "google.protobuf.Duration",
    "google.protobuf.Timestamp",
    "string",
    "bytes",
)

_BY_OVERLOAD: dict[str, Cost] = {
    "list_sets_contains_list": _set(1),
    "list_sets_intersects_list": _set(1),
    "list_sets_equivalent_list": _set(2),
    **dict.fromkeys(
        ("list_slice", "lists_range", "list_reverse"),
        lambda arguments, result: _makes_list(1, size_of(result)),
    ),
    **dict.fromkeys(
        ("list_flatten", "list_flatten_int"),
        lambda arguments, result: _makes_list(
            arguments[1] if len(arguments) == 2 else 1, size_of(arguments[0])
        ),
    ),
    "cidr_contains_ip_string": _parses_too(_contains_address),
    "cidr_contains_cidr_string": _parses_too(_contains_block),
    "list_distinct": lambda arguments, result: _compares_items(arguments[0]),
    **{f"list_{of}_sort": lambda arguments, result: _compares_items(arguments[0]) for of in _SORTED},
    **{
        f"list_{of}_sortByAssociatedKeys": lambda arguments, result: _compares_items(arguments[1])
        for of in _SORTED
    },
}

_STANDARD: dict[str, Cost] = {
    **dict.fromkeys(
        ("string_to_bytes", "bytes_to_string", "strings_quote", "string_format"),
        _scans_first,
    ),
    "in_list": lambda arguments, result: size_of(arguments[1]),
    **dict.fromkeys(("add_string", "add_bytes"), _adds),
    "matches_string": _searches,
    "contains_string": _contains,
    **{
        f"{operator}_{of}": _compares
        for operator in ("less", "less_equals", "greater", "greater_equals")
        for of in ("string", "bytes")
    },
}


def cost_of(function: str, overload: str, *, reads_affix: bool) -> Cost:
    """Returns the function that computes the cost of a call.

    - `overload`: the id of the overload; "" if CEL resolves the overload only at run time.
    - `reads_affix`: True from 1.37. If True, the cost of `s.startsWith(affix)` and `s.endsWith(affix)`
      depends on the length of `affix`; if False, on the length of `s`. If True, `matches(s, pattern)` costs
      as much as `s.matches(pattern)`; if False, the call costs 1.
    """
    if overload in _BY_OVERLOAD:
        return _BY_OVERLOAD[overload]
    if function in _BY_FUNCTION:
        return _BY_FUNCTION[function]
    if overload in {"starts_with_string", "ends_with_string"}:
        return _scans_second if reads_affix else _scans_first
    if overload == "matches" and reads_affix:
        return _searches
    return _STANDARD.get(overload, one)
