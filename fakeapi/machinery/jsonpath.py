"""Kubernetes' JSONPath, for printer columns, the scale subresource and selectable fields.

Follows k8s.io/client-go `util/jsonpath` for a single action, `{...}`, with missing keys allowed. Upstream
iterates over Go maps in random order; fakeapi sorts results by name.
"""

import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import msgspec

from fakeapi.machinery.codec import in_key_order
from fakeapi.machinery.golang.fmt import go_type, printed
from fakeapi.machinery.golang.json_encoding import go_encode
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.jsonpath_syntax import (
    ArrayStep,
    FieldStep,
    FilterStep,
    IdentifierStep,
    JsonPathError,
    LiteralStep,
    RecursiveStep,
    Step,
    UnionStep,
    WildcardStep,
    parse,
)

RESULTS_MAX = 10_000
"""Maximum number of values that a step of a path may return; more values raise JsonPathError.

The limit is needed because each `..` in a path may double the number of values.
"""

Values: TypeAlias = list[Any]


class JsonPath(msgspec.Struct, frozen=True):
    """A parsed JSONPath, such as `.status.conditions[?(@.type=="Ready")].status`."""

    steps: tuple[Step, ...]

    def find(self, obj: Any) -> Values:
        """Returns the values at the path in `obj`. A key that is missing, or of a non-object, gives no value.

        Raises JsonPathError for an index, slice or filter of a value that is not a list, and for more than
        RESULTS_MAX values.
        """
        return _walk([obj], self.steps)

    def first(self, obj: Any) -> tuple[bool, Any]:
        """Returns (True, first value at the path).

        Returns (False, None) if `find` returns [] or raises JsonPathError.
        """
        try:
            values = self.find(obj)
        except JsonPathError:
            return False, None
        return (True, values[0]) if values else (False, None)


def parse_path(text: str) -> JsonPath:
    """Parses a JSONPath without its braces, such as `.spec.replicas`.

    Raises JsonPathError if the path is not valid or is too long.
    """
    return JsonPath(parse(text))


def as_text(value: Any) -> str:
    """Formats a result of a JSONPath like client-go: strings unchanged, objects and lists as Go's JSON."""
    match value:
        case None:
            return "<no value>"
        case dict() | list():
            return go_encode(in_key_order(value)).decode()
        case _:
            return printed(value)


def dotted(path: str) -> tuple[str, ...]:
    """Splits a JSONPath of plain names: `.spec.replicas` becomes `("spec", "replicas")`."""
    return tuple(path.removeprefix(".").split("."))


def nested(obj: Object, names: Iterable[str]) -> tuple[bool, Any]:
    """Returns (True, value at the path `names` in `obj`), or (False, None) if the path does not exist.

    Raises JsonPathError if a value along the path is not an object.
    """
    value: Any = obj
    for name in names:
        if not isinstance(value, dict):
            raise JsonPathError(f"{name} is looked for in what is not an object")
        if name not in value:
            return False, None
        value = value[name]
    return True, value


def _walk(values: Values, steps: Iterable[Step]) -> Values:
    for step in steps:
        values = _take(values, step)
        if len(values) > RESULTS_MAX:
            raise JsonPathError(f"more than {RESULTS_MAX} results")
    return values


def _take(values: Values, step: Step) -> Values:
    match step:
        case FieldStep():
            return [value[step.name] for value in values if isinstance(value, dict) and step.name in value]
        case ArrayStep():
            return [item for value in values if value is not None for item in _slice(value, step)]
        case FilterStep():
            return [item for value in values for item in _filtered(value, step)]
        case WildcardStep():
            return [item for value in values for item in _children(value)]
        case RecursiveStep():
            return _descended(values)
        case UnionStep():
            return [result for branch in step.branches for result in _walk(values, branch)]
        case LiteralStep(is_text=True):
            return [step.value]
        case LiteralStep():
            return [step.value for _ in values]
        case IdentifierStep():
            return _block(values, step.name)


def _block(values: Values, name: str) -> Values:
    if name == "range":
        return []  # The body of the loop would be in further actions, which are not supported.
    if name == "end":
        raise JsonPathError("not in range, nothing to end")
    raise JsonPathError(f"unrecognized identifier {name}")


def _children(value: Any) -> Values:
    match value:
        case dict():
            return [value[name] for name in sorted(value)]
        case list():
            return value
        case str():
            return list(value.encode())
        case _:
            return []


def _descended(values: Values) -> Values:
    """Returns all non-empty objects, lists and strings in the values, at any depth, parents first.

    As in Go, the children of a string are its bytes. Raises JsonPathError for more than RESULTS_MAX results.
    """
    containers: Values = []
    waiting = list(reversed(values))
    while waiting:
        value = waiting.pop()
        below = _children(value)
        if below:
            containers.append(value)
            if len(containers) > RESULTS_MAX:
                raise JsonPathError(f"more than {RESULTS_MAX} results")
            waiting.extend(reversed(below))
    return containers


def _slice(value: Any, step: ArrayStep) -> Values:
    if not isinstance(value, list):
        raise JsonPathError(f"{go_type(value)} is not array or slice")
    size = len(value)
    start = step.start if step.start is not None else 0
    end = step.end if step.end is not None else size
    if start < 0:
        start += size
    if end < 0 or (end == 0 and step.end_is_next):
        end += size
    if start == end:
        return []
    for index in (start, end - 1):
        if not 0 <= index < size:
            raise JsonPathError(f"array index out of bounds: index {index}, length {size}")
    if start > end:
        raise JsonPathError(f"starting index {start} is greater than ending index {end}")
    if step.step is not None and step.step <= 0:
        raise JsonPathError("step must be > 0")
    return value[start : end : step.step or 1]


def _filtered(value: Any, step: FilterStep) -> Values:
    if not isinstance(value, list):
        raise JsonPathError(f"{printed(value)} is not array or slice and cannot be filtered")
    return [item for item in value if _passes(item, step)]


def _passes(item: Any, step: FilterStep) -> bool:
    if step.operator == "exists":
        try:
            return bool(_walk([item], step.left))
        except JsonPathError:
            return True  # upstream then tests the values before the failing step
    left, right = _walk([item], step.left), _walk([item], step.right)
    if not left or (len(left) == 1 and not right):
        return False
    if len(left) > 1 or len(right) > 1:
        raise JsonPathError("can only compare one element at a time")
    compare = _OPERATORS.get(step.operator)
    if compare is None:
        raise JsonPathError(f"unrecognized filter operator {step.operator}")
    kind = go_type(left[0])
    if kind not in _COMPARABLE or go_type(right[0]) not in _COMPARABLE:
        raise JsonPathError("invalid type for comparison")
    if kind != go_type(right[0]):
        raise JsonPathError("incompatible types for comparison")
    if kind == "bool" and step.operator not in ("==", "!="):
        raise JsonPathError("invalid type for comparison")
    return compare(left[0], right[0])


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
}
_COMPARABLE = ("bool", "int64", "float64", "string")
