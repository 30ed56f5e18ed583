"""Validates an applied configuration against its schema.

Follows sigs.k8s.io/structured-merge-diff `typed` (Validate). This validation rejects unknown fields and
duplicate list items, which decoding accepts. Decoding rejects some numbers, times and quantities that this
validation accepts.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from fakeapi.machinery.apply.pathelement import of_field, spell
from fakeapi.machinery.apply.typed import TypedError, item_element, shape_of
from fakeapi.machinery.golang.fmt import go_type, printed
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.schema.nodes import (
    List,
    ListType,
    Map,
    Node,
    Scalar,
    ScalarKind,
    Struct,
    Untyped,
    kept_on_node,
    nodes_within,
)

_STRINGS = (ScalarKind.STRING, ScalarKind.BYTES)
_NUMBERS = (ScalarKind.INTEGER, ScalarKind.NUMBER)


class _Checks(NamedTuple):
    """The arguments of `validate`."""

    allow_duplicates: bool
    keys_only: bool

    def skips(self, node: Node) -> bool:
        """Whether values of a type need no validation."""
        return self.keys_only and not _has_keys(node)


def validate(value: Any, node: Node, *, allow_duplicates: bool = False, keys_only: bool = False) -> None:
    """Raises TypedError, with structured-merge-diff's message, if the value does not fit its schema.

    Reports the first unknown field of each object, and values of a wrong type. In set and map lists, reports
    items without a key and, unless `allow_duplicates`, items with the same key.

    `keys_only`: whether the value is a canonical object of a built-in kind. In canonical objects, only the
    items of set and map lists can be wrong. The function then skips parts without set and map lists; most of
    a large object are such parts.
    """
    checks = _Checks(allow_duplicates, keys_only)
    errors = [f"{path}: {message}" if path else message for path, message in _errors(value, node, "", checks)]
    if len(errors) == 1:
        raise TypedError(errors[0])
    if errors:
        raise TypedError("errors:\n" + "\n".join("  " + error for error in errors))


@kept_on_node
def _has_keys(node: Node) -> bool:
    """Whether a type contains set or map lists."""
    return any(
        isinstance(inner, List) and inner.list_type is not ListType.ATOMIC for inner in nodes_within(node)
    )


def _errors(value: Any, node: Node, path: str, checks: _Checks) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    match node:
        case Struct() | Map():
            if isinstance(value, dict):
                yield from _members(value, node, path, checks)
            else:
                yield path, f"expected map, got &{{{shown(value)}}}"
        case List():
            if isinstance(value, list):
                yield from _items(value, node, path, checks)
            else:
                yield path, f"expected list, got &{{{shown(value)}}}"
        case Scalar():
            message = _scalar(value, node.kind)
            if message:
                yield path, message
        case Untyped():
            shape = shape_of(value, node)
            if shape is not None:
                yield from _errors(value, shape, path, checks)
        case _:
            pass


def _members(
    value: dict[str, Any], node: Struct | Map, path: str, checks: _Checks
) -> Iterator[tuple[str, str]]:
    for name, child in value.items():
        if isinstance(node, Map):
            member: Node | None = node.values
        else:
            field = node.fields.get(name)
            member = node.others if field is None else field.node
        if member is not None and checks.skips(member):
            continue
        if member is None:
            yield path + spell(of_field(name)), "field not declared in schema"
            return
        if isinstance(member, Scalar):
            message = "" if child is None else _scalar(child, member.kind)
            if message:
                yield path + spell(of_field(name)), message
            continue
        yield from _errors(child, member, path + spell(of_field(name)), checks)


def _items(value: list[Any], node: List, path: str, checks: _Checks) -> Iterator[tuple[str, str]]:
    if node.list_type is ListType.ATOMIC:
        for index, item in enumerate(value):
            yield from _errors(item, node.items, f"{path}[{index}]", checks)
        return
    element_of = item_element(node)
    seen: set[str] = set()
    for index, item in enumerate(value):
        try:
            element = element_of(item)
        except TypedError as error:
            yield path, f"element {index}: {error}"
            return
        if element in seen and not checks.allow_duplicates:
            yield path, f"duplicate entries for key {spell(element)}"
        seen.add(element)
        if not checks.skips(node.items):
            yield from _errors(item, node.items, path + spell(element), checks)


def _scalar(value: Any, kind: ScalarKind) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if kind in _NUMBERS:
        return "" if is_number else f"expected numeric (int or float), got {go_type(value)}"
    if kind in _STRINGS:
        if isinstance(value, str):
            return ""
        return f"expected string, got &value.valueUnstructured{{Value:{_go_syntax(value)}}}"
    if kind is ScalarKind.BOOLEAN:
        return "" if isinstance(value, bool) else f"expected boolean, got &{{{shown(value)}}}"
    if is_number or isinstance(value, str | bool):
        return ""
    return f"expected any scalar, got &{{{shown(value)}}}"


def shown(value: Any) -> str:
    """Formats a JSON value like Go's `%v`, with every number as a float64."""
    return printed(_with_floats(value))


def _with_floats(value: Any) -> Any:
    match value:
        case dict():
            return {name: _with_floats(member) for name, member in value.items()}
        case list():
            return [_with_floats(item) for item in value]
        case int() if not isinstance(value, bool):
            return float(value)
        case _:
            return value


def _go_syntax(value: Any) -> str:
    match value:
        case str():
            return quote(value)
        case None:
            return "interface {}(nil)"
        case list():
            return "[]interface {}{" + ", ".join(map(_go_syntax, value)) + "}"
        case dict():
            members = (f"{quote(name)}:{_go_syntax(value[name])}" for name in sorted(value))
            return "map[string]interface {}{" + ", ".join(members) + "}"
        case _:
            return shown(value)
