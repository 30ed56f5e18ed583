"""Computes the field set of a value by its schema.

Follows sigs.k8s.io/structured-merge-diff `typed` (ToFieldSet). Each schema node is compiled into a closure
when it is first used, because a type may contain itself.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from fakeapi.machinery.apply.fieldset import EMPTY, MEMBER, SELF, FieldSet, ordered
from fakeapi.machinery.apply.pathelement import PathElement, of_field, of_key, of_value
from fakeapi.machinery.codec import value_of
from fakeapi.machinery.golang.strconv import quote
from fakeapi.machinery.schema.nodes import Field, List, ListType, Map, Node, Struct, Untyped, kept_on_node

FieldWalk: TypeAlias = Callable[[Any], FieldSet | None]
PresentWalk: TypeAlias = Callable[[Any], FieldSet]
ItemElement: TypeAlias = Callable[[Any], PathElement]


class TypedError(ValueError):
    """A value that does not fit its schema; the message is structured-merge-diff's."""


class VersionError(TypedError):
    """A failed conversion of an object to an API version in its managedFields."""


def field_set_of(value: Any, node: Node) -> FieldSet:
    """Returns the field set of `value`: its leaves and the items of its maps and granular lists.

    A granular struct or list is not a member itself, unless it is null or an empty map. Ignores fields that
    are not in the schema. Raises TypedError for a map list's item without a key, and for a set item that is
    not a scalar.
    """
    return fields_walk(node)(value) or EMPTY


@kept_on_node
def named_fields(node: Struct) -> tuple[tuple[str, PathElement, Field], ...]:
    """Returns (name, path element, field) for each field of a struct, sorted by path element."""
    return tuple((name, of_field(name), node.fields[name]) for name in sorted(node.fields))


def is_leaf(node: Node) -> bool:
    """Whether server-side apply owns values of the node as a whole.

    True for scalars, for JSON values of built-in kinds that may have any form, and for atomic lists, maps and
    structs.
    """
    match node:
        case Struct() | Map():
            return node.atomic
        case List():
            return node.list_type is ListType.ATOMIC
        case Untyped():
            return False
        case _:
            return True


def shape_of(value: Any, node: Node) -> Node | None:
    """Returns the schema node of a value: `node` itself, unless it is `Untyped`.

    For `Untyped`, returns the node of the value's JSON type: object or list; None for a scalar or null.
    """
    if not isinstance(node, Untyped):
        return node
    value = value_of(value)
    if isinstance(value, dict):
        return node.shapes()[0]
    return node.shapes()[1] if isinstance(value, list) else None


def leaf(_: Any) -> FieldSet:
    return MEMBER


@kept_on_node
def fields_walk(node: Node) -> FieldWalk:
    """Compiles a function that returns the fields below a value's path.

    The function returns MEMBER if only the path itself is a field, and None if the value has no fields.
    """
    if is_leaf(node):
        return leaf
    match node:
        case Struct():
            return _struct_fields(node)
        case Map():
            return _map_fields(node)
        case List():
            return _list_fields(node)
        case Untyped():
            return _shaped_fields(node)
        case _:
            return leaf


def _shaped_fields(node: Untyped) -> FieldWalk:
    def walk(value: Any) -> FieldSet | None:
        shape = shape_of(value, node)
        return MEMBER if shape is None else fields_walk(shape)(value)

    return walk


def _struct_fields(node: Struct) -> FieldWalk:
    entries: list[tuple[str, PathElement, FieldWalk]] = []

    def walk(value: Any) -> FieldSet | None:
        if not value:
            return None
        if not entries:
            entries.extend(
                (name, element, fields_walk(field.node)) for name, element, field in named_fields(node)
            )
        result: FieldSet = {}
        for name, element, walk_field in entries:
            if name in value:
                child = value[name]
                below = MEMBER if child is None or value_of(child) == {} else walk_field(child)
                if below is not None:
                    result[element] = below
        if node.others is not None:
            walk_other = fields_walk(node.others)
            result |= {"f:" + name: as_member(walk_other(value[name])) for name in other_names(value, node)}
            result = ordered(result)
        return result or None

    return walk


def other_names(value: dict[str, Any], node: Struct) -> list[str]:
    """Returns the member names of an object that are not fields of its struct."""
    return [name for name in value if name not in node.fields]


def _map_fields(node: Map) -> FieldWalk:
    walk_value = fields_walk(node.values)

    def walk(value: Any) -> FieldSet | None:
        if not value:
            return None
        return ordered({"f:" + name: as_member(walk_value(child)) for name, child in value.items()})

    return walk


def _list_fields(node: List) -> FieldWalk:
    element_of = item_element(node)
    walk_item = fields_walk(node.items)

    def walk(value: Any) -> FieldSet | None:
        if not value:
            return None
        grouped = by_element(value, element_of)
        return ordered(
            {
                element: as_member(walk_item(items[0])) if len(items) == 1 else MEMBER
                for element, items in grouped.items()
            }
        )

    return walk


def as_member(below: FieldSet | None) -> FieldSet:
    """Adds the path itself to the fields below it; returns MEMBER if `below` is empty or None."""
    if not below:
        return MEMBER
    return below if SELF in below else {SELF: MEMBER, **below}


@kept_on_node
def present_walk(node: Node) -> PresentWalk:
    """Compiles a function that returns every path in a value, including the paths of objects and lists.

    `compare` reports these paths for a value that is only in the old or only in the new object.
    """
    if is_leaf(node):
        return leaf
    match node:
        case Struct():
            return _struct_present(node)
        case Map():
            return _map_present(node)
        case List():
            return _list_present(node)
        case Untyped():
            return _shaped_present(node)
        case _:
            return leaf


def _shaped_present(node: Untyped) -> PresentWalk:
    def walk(value: Any) -> FieldSet:
        shape = shape_of(value, node)
        return MEMBER if shape is None else present_walk(shape)(value)

    return walk


def _struct_present(node: Struct) -> PresentWalk:
    entries: list[tuple[str, PathElement, PresentWalk]] = []

    def walk(value: Any) -> FieldSet:
        if not value:
            return MEMBER
        if not entries:
            entries.extend(
                (name, element, present_walk(field.node)) for name, element, field in named_fields(node)
            )
        result: FieldSet = {SELF: MEMBER}
        for name, element, walk_field in entries:
            if name in value:
                result[element] = walk_field(value[name])
        if node.others is not None:
            walk_other = present_walk(node.others)
            result |= {"f:" + name: walk_other(value[name]) for name in other_names(value, node)}
            result = ordered(result)
        return result

    return walk


def _map_present(node: Map) -> PresentWalk:
    walk_value = present_walk(node.values)

    def walk(value: Any) -> FieldSet:
        if not value:
            return MEMBER
        result: FieldSet = {SELF: MEMBER}
        for name in sorted(value):
            result["f:" + name] = walk_value(value[name])
        return result

    return walk


def _list_present(node: List) -> PresentWalk:
    element_of = item_element(node)
    walk_item = present_walk(node.items)

    def walk(value: Any) -> FieldSet:
        if not value:
            return MEMBER
        result: FieldSet = {SELF: MEMBER}
        for element, items in by_element(value, element_of).items():
            result[element] = walk_item(items[0]) if len(items) == 1 else MEMBER
        return ordered(result)

    return walk


def by_element(items: Iterable[Any], element_of: ItemElement) -> dict[PathElement, list[Any]]:
    """Groups list items by path element, in the order of first appearance.

    `element_of`: returns the path element of an item
    """
    result: dict[PathElement, list[Any]] = {}
    for item in items:
        result.setdefault(element_of(item), []).append(item)
    return result


@kept_on_node
def item_element(node: List) -> ItemElement:
    """Returns a function that computes the path element of an item of a set or map list.

    The function raises TypedError for an item without a key, and for a set item that is not a scalar.
    """
    return _keyed_element(node) if node.keys else _set_element


def _keyed_element(node: List) -> ItemElement:
    keys, optional = node.keys, node.keys_may_be_absent
    defaults = dict(node.key_defaults)

    def element_of(item: Any) -> PathElement:
        if item is None:
            raise TypedError("associative list with keys may not have a null element")
        if not isinstance(item, dict):
            raise TypedError("associative list with keys may not have non-map elements")
        if optional:
            return of_key(_present(item, keys, defaults))
        return of_key([(name, item[name] if name in item else _default(name, defaults)) for name in keys])

    return element_of


def _present(item: dict[str, Any], keys: tuple[str, ...], defaults: dict[str, Any]) -> list[tuple[str, Any]]:
    """Returns the (name, value) pairs of an item's keys, including defaults.

    Raises TypedError if the item has no key field and no key has a default.
    """
    members = [
        (name, item.get(name, defaults.get(name))) for name in keys if name in item or name in defaults
    ]
    if not members:
        listed = " ".join(map(quote, keys))
        raise TypedError(
            f"associative list with keys has an element that omits all key fields [{listed}] "
            "(and doesn't have default values for any key fields)"
        )
    return members


def _default(name: str, defaults: dict[str, Any]) -> Any:
    value = defaults.get(name)
    if value is None:
        raise TypedError(
            f'associative list with keys has an element that omits key field "{name}" '
            "(and doesn't have default value)"
        )
    return value


def _set_element(item: Any) -> PathElement:
    match item:
        case dict():
            raise TypedError("associative list without keys has an element that's a map type")
        case list():
            raise TypedError("not supported: associative list with lists as elements")
        case None:
            raise TypedError("associative list without keys has an element that's an explicit null")
        case _:
            return of_value(item)
