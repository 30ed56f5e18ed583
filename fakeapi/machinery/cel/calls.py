"""Estimates the cost of function calls in CEL expressions.

Follows k8s.io/apiserver `pkg/cel/library/cost.go`, cel-go `checker/cost.go` and `ext/sets.go`.
"""

import math
from collections.abc import Callable

import msgspec

from fakeapi.machinery.cel.sizes import MOST, ONE, PATTERN, TRAVERSAL, UNKNOWN, Size, capped, fixed
from fakeapi.machinery.cel.syntax import Literal, Node
from fakeapi.machinery.cel.types import STRING, Type


class Operand(msgspec.Struct, frozen=True):
    """The target or an argument of a call, with its type and estimated size.

    `element_size`: the size of one element, if the operand is a list.
    """

    node: Node
    type: Type
    size: Size
    element_size: Size


class Estimate(msgspec.Struct, frozen=True):
    """The cost estimate of a call.

    `cost`: the maximum cost of the call, without the cost of its arguments.
    `size`: the size of the result; None if the estimate does not include it.
    """

    cost: int
    size: Size | None = None


Estimator = Callable[[Operand | None, list[Operand]], Estimate | None]

_NOMINAL = Estimate(1)
_ACCESSORS = """
serviceAccount path group resource subresource namespace name allowed reason error errored
masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast
sign asInteger isInteger asApproximateFloat isGreaterThan isLessThan compareTo add sub
getScheme getHostname getHost getPort getEscapedPath getQuery format.named
"""
_ADDRESS = Size(4, 16)
_FORMAT_PATTERN_MAX = 128
_LISTED_MAX = 48
"""Maximum number of attribute values of a device, in total over all attributes."""
_UNIT_EQUALITY = frozenset((
    "net.IP",
    "net.CIDR",
    "kubernetes.Quantity",
    "kubernetes.Semver",
))  # fmt: skip


def _nominal(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return _NOMINAL


def _traverses_list(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None:
        return None
    if not target.type.parameters:
        return Estimate(target.size.cost())
    element = target.type.parameters[0]
    item_cost = 1 + (target.element_size.cost() if element.kind in {"string", "bytes"} else 0)
    return Estimate(capped(target.size.most * capped(item_cost)))


def _parses(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(arguments[0].size.cost())


def _parses_twice(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(arguments[0].size.cost(2 * TRAVERSAL))


def _parses_url(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(arguments[0].size.cost(), arguments[0].size)


def _traverses(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return None if target is None else Estimate(target.size.cost(), target.size)


def _ip(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return _NOMINAL if target is not None or not arguments else Estimate(arguments[0].size.cost())


def _replace(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None or len(arguments) < 2:
        return None
    text, old, new = target.size, arguments[0].size, arguments[1].size
    if old.least == 0:
        most, kept_most = min(text.most + 1, MOST), text.most
    elif new.most <= old.least:
        most, kept_most = 0, text.most
    else:
        most, kept_most = math.ceil(text.most / old.least), 0
    if old.most == 0:
        least, kept_least = min(text.least + 1, MOST), text.least
    elif old.most <= new.least:
        least, kept_least = 0, text.least
    else:
        least, kept_least = math.ceil(text.least / old.most), 0
    return Estimate(text.cost(2 * TRAVERSAL), Size(least, most) * new + Size(kept_least, kept_most))


def _split(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None:
        return None
    most = target.size.most
    if len(arguments) > 1:
        limit = arguments[1].node
        if isinstance(limit, Literal) and isinstance(limit.value, int):
            most = limit.value % (MOST + 1)
    return Estimate(target.size.cost(2 * TRAVERSAL), Size(0, most))


def _join(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None:
        return None
    count = target.size
    size = count * target.element_size if target.type.parameters else fixed(0)
    if arguments:
        size += arguments[0].size * Size(max(count.least - 1, 0), max(count.most - 1, 0))
    return Estimate(size.cost(), size)


def _find(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None or not arguments:
        return None
    cost = capped((target.size + ONE).cost() * arguments[0].size.cost(PATTERN))
    return Estimate(cost, Size(0, target.size.most))


def _contains_address(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return _compares_addresses((_ADDRESS + _ADDRESS).cost(), arguments)


def _contains_network(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return _compares_addresses((_ADDRESS + _ADDRESS).cost() + _ADDRESS.cost() + 1, arguments)


def _compares_addresses(cost: int, arguments: list[Operand]) -> Estimate | None:
    if not arguments:
        return None
    return Estimate(capped(cost + (arguments[0].size.cost() if arguments[0].type == STRING else 0)))


def _validate(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(Size(0, arguments[0].size.cost()).cost(_FORMAT_PATTERN_MAX * PATTERN))


def _includes(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return None if target is None else Estimate(Size(0, _LISTED_MAX).cost(1))


def _equals(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if len(arguments) != 2 or arguments[0].type != arguments[1].type:
        return None
    name = arguments[0].type.name
    if name in _UNIT_EQUALITY or name.startswith("kubernetes.authorization."):
        return _NOMINAL
    if name == "kubernetes.URL":
        size = arguments[1].size
        return Estimate((ONE if size == UNKNOWN else size).cost())
    if name == "kubernetes.NamedFormat":
        return Estimate(fixed(64).cost())
    return None


_BY_FUNCTION: dict[str, Estimator] = {
    **dict.fromkeys(_ACCESSORS.split(), _nominal),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _traverses_list),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _traverses),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity"), _parses),
    **dict.fromkeys(("find", "findAll"), _find),
    "check": lambda target, arguments: Estimate(350_000),
    "url": _parses_url,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "ip": _ip,
    "ip.isCanonical": _parses_twice,
    "containsIP": _contains_address,
    "containsCIDR": _contains_network,
    "validate": _validate,
    "includes": _includes,
    "_==_": _equals,
}

_BY_FUNCTION_LATER: dict[str, Estimator] = _BY_FUNCTION | {
    **dict.fromkeys(("semver", "isSemver"), _parses),
    **dict.fromkeys(("major", "minor", "patch"), _nominal),
}


def kubernetes_estimate(
    function: str, target: Operand | None, arguments: list[Operand], *, prices_versions: bool
) -> Estimate | None:
    """Returns Kubernetes' own cost estimate of a CEL function call; None if cel-go's estimate applies.

    - `target`: the receiver of a method call; None for other calls
    - `prices_versions`: whether Kubernetes estimates the functions of semantic versions, as in 1.33 and later
    """
    table = _BY_FUNCTION_LATER if prices_versions else _BY_FUNCTION
    estimator = table.get(function)
    return None if estimator is None else estimator(target, arguments)


def _formats(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return None if target is None else Estimate(target.size.cost())


def _to_bytes(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    size = arguments[0].size
    return Estimate(size.cost(), Size(size.least, size.most * 4 % (MOST + 1)))


def _to_string(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    size = arguments[0].size
    return Estimate(size.cost(), Size(size.least // 4, size.most))


def _quotes(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    size = arguments[0].size
    wrapped = MOST + 1
    return Estimate(size.cost(), Size((size.least + 2) % wrapped, (size.most * 2 + 2) % wrapped))


def _in_list(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(arguments[1].size.cost(1))


def _matches(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None:
        return None
    return Estimate(capped((target.size + ONE).cost() * arguments[0].size.cost(PATTERN)))


def _contains(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None:
        return None
    return Estimate(capped(target.size.cost() * arguments[0].size.cost()))


def _adds_texts(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    size = arguments[0].size + arguments[1].size
    return Estimate(size.cost(), size)


def _adds_lists(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(1, arguments[0].size + arguments[1].size)


def _compares(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return Estimate(Size(0, min(argument.size.most for argument in arguments)).cost())


def _intersects(factor: int) -> Estimator:
    def estimate(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
        return Estimate(capped((arguments[0].size * arguments[1].size).cost(factor) + 1))

    return estimate


_MAKES_LIST = 1 + 10


def _listed(factor: float, size: Size) -> Estimate:
    """Returns the cost estimate of a function that returns a list; each item costs `factor` cost units."""
    return Estimate(capped(size.cost(factor) + _MAKES_LIST), size)


def _number(operand: Operand, otherwise: int) -> int:
    value = (
        operand.node.value if isinstance(operand.node, Literal) and operand.node.kind == "int" else otherwise
    )
    return max(value, 0) if isinstance(value, int) else otherwise


def _slices(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None or len(arguments) != 2:
        return None
    end = _number(arguments[1], target.size.most)
    return _listed(1, fixed((end - _number(arguments[0], 0)) % (MOST + 1)))


def _ranges(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return None if target is not None else _listed(1, fixed(_number(arguments[0], MOST)))


def _reverses(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return None if target is None else _listed(1, target.size)


def _flattens(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    if target is None:
        return None
    return _listed(_number(arguments[0], MOST) if arguments else 1, target.size)


def _compares_all(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
    return None if target is None else _listed(2, target.size * target.size)


def _sorts(of: str) -> Estimator:
    factor = 2 + (TRAVERSAL if of in {"string", "bytes"} else 0)

    def estimate(target: Operand | None, arguments: list[Operand]) -> Estimate | None:
        keys = arguments[0] if arguments else target
        return None if keys is None else _listed(factor, keys.size * keys.size)

    return estimate


_SORTABLE = (
    *("int", "uint", "double", "bool", "string", "bytes"),
    *("google.protobuf.Duration", "google.protobuf.Timestamp"),
)

_BY_OVERLOAD: dict[str, Estimator] = {
    "list_slice": _slices,
    "lists_range": _ranges,
    "list_reverse": _reverses,
    "list_flatten": _flattens,
    "list_flatten_int": _flattens,
    "list_distinct": _compares_all,
    **{f"list_{of}_{name}": _sorts(of) for of in _SORTABLE for name in ("sort", "sortByAssociatedKeys")},
    "string_format": _formats,
    "string_to_bytes": _to_bytes,
    "bytes_to_string": _to_string,
    "strings_quote": _quotes,
    "starts_with_string": _parses,
    "ends_with_string": _parses,
    "in_list": _in_list,
    "matches_string": _matches,
    "contains_string": _contains,
    "add_string": _adds_texts,
    "add_bytes": _adds_texts,
    "add_list": _adds_lists,
    "equals": _compares,
    "not_equals": _compares,
    **{
        f"{operator}_{of}": _compares
        for operator in ("less", "less_equals", "greater", "greater_equals")
        for of in ("string", "bytes")
    },
    "list_sets_contains_list": _intersects(1),
    "list_sets_intersects_list": _intersects(1),
    "list_sets_equivalent_list": _intersects(2),
}


def cel_estimate(overload: str, target: Operand | None, arguments: list[Operand]) -> Estimate:
    """Returns cel-go's cost estimate of a call; a cost of 1 if cel-go has no estimate for the overload.

    `target`: the receiver of a method call; None for other calls
    """
    estimator = _BY_OVERLOAD.get(overload)
    estimate = None if estimator is None else estimator(target, arguments)
    return estimate or _NOMINAL
