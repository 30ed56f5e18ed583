"""Compares two values with the same schema: which fields are added, modified and removed.

Follows sigs.k8s.io/structured-merge-diff `typed` (Compare).
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from fakeapi.machinery.apply.fieldset import EMPTY, MEMBER, SELF, FieldSet, ordered, recursive_difference
from fakeapi.machinery.apply.keyless import keys_check
from fakeapi.machinery.apply.pathelement import PathElement
from fakeapi.machinery.apply.typed import (
    ItemElement,
    PresentWalk,
    by_element,
    is_leaf,
    item_element,
    named_fields,
    other_names,
    present_walk,
    shape_of,
)
from fakeapi.machinery.codec import encode, value_of
from fakeapi.machinery.schema.nodes import (
    AnyValue,
    List,
    Map,
    Node,
    Struct,
    Untyped,
    kept_on_node,
    nodes_within,
)


class Comparison(NamedTuple):
    """The fields that differ between two values.

    A list item is in both `added` and `removed` if only one of the two values has duplicates of this item.
    """

    added: FieldSet
    modified: FieldSet
    removed: FieldSet

    def without(self, ignored: FieldSet) -> "Comparison":
        """Returns the comparison without the fields of `ignored` and everything below them."""
        if not ignored:
            return self
        return Comparison(*(recursive_difference(fields, ignored) for fields in self))


Changes: TypeAlias = tuple[FieldSet | None, FieldSet | None, FieldSet | None]
"""The changes below a path: (added fields, modified fields, removed fields).

A set is `MEMBER` if only the path itself changed. A set is None if no field was added, modified or removed.
"""

Walk: TypeAlias = Callable[[Any, Any], Changes | None]
"""A function that compares two values: (old, new) -> changes. Returns None if the values are equal."""

_SAME = Comparison(EMPTY, EMPTY, EMPTY)
_MODIFIED: Changes = (None, MEMBER, None)


def compare(old: Any, new: Any, node: Node, *, typed: bool = False) -> Comparison:
    """Returns the fields that `new` adds, modifies and removes.

    A new order of a set or map list changes nothing. Null differs from an empty list and an empty map.

    `typed`: whether both values are complete objects, as upstream decodes them into Go structs. False if one
    of them is an applied configuration. If True, atomic lists whose items contain arbitrary JSON are compared
    as JSON text, except in custom resources.

    Raises TypedError if an item of a map list lacks its keys, also if both values are equal.
    """
    changes = _walk(node, typed)(old, new)
    if changes is None:
        return _SAME
    return Comparison(*(fields or EMPTY for fields in changes))


class _Builder:
    """Collects the changes of an object or list from the changes of its members or items."""

    __slots__ = ("added", "modified", "removed")

    def __init__(self) -> None:
        self.added: FieldSet = {}
        self.modified: FieldSet = {}
        self.removed: FieldSet = {}

    def put(self, element: PathElement, changes: Changes) -> None:
        added, modified, removed = changes
        if added is not None:
            self.added[element] = added
        if modified is not None:
            self.modified[element] = modified
        if removed is not None:
            self.removed[element] = removed

    def changes(self) -> Changes | None:
        added, modified, removed = self.added, self.modified, self.removed
        if not (added or modified or removed):
            return None
        return added or None, modified or None, removed or None

    def ordered(self) -> Changes | None:
        self.added, self.modified, self.removed = (
            ordered(self.added),
            ordered(self.modified),
            ordered(self.removed),
        )
        return self.changes()


def _walk(node: Node, typed: bool) -> Walk:  # noqa: FBT001 - private
    return _typed_walk(node) if typed else _applied_walk(node)


@kept_on_node
def _typed_walk(node: Node) -> Walk:
    return _made(node, typed=True)


@kept_on_node
def _applied_walk(node: Node) -> Walk:
    return _made(node, typed=False)


def _made(node: Node, *, typed: bool) -> Walk:
    if is_leaf(node):
        if plain(node):
            return _leaf
        return _written_leaf if typed and isinstance(node, List) and not _is_shaped(node) else _exact_leaf
    match node:
        case Struct():
            return _struct(node, typed)
        case Map():
            return _map(node, typed)
        case List():
            return _list(node, typed)
        case Untyped():
            return _shaped(node, typed)
        case _:
            return _leaf


def _is_shaped(node: List) -> bool:
    """Whether the list belongs to a custom resource, so that its comparison ignores the order of members."""
    return isinstance(node.items, Untyped) or (isinstance(node.items, Struct) and not node.items.full_name)


def _shaped(node: Untyped, typed: bool) -> Walk:  # noqa: FBT001 - private
    def walk(old: Any, new: Any) -> Changes | None:
        before, after = shape_of(old, node), shape_of(new, node)
        if before is after or old is None or new is None:
            shape = before or after
            if shape is None or (before is not after and isinstance(shape, List)):
                return _exact_leaf(old, new)
            return _walk(shape, typed)(old, new)
        return _reshaped(old, new)

    def _reshaped(old: Any, new: Any) -> Changes:
        """Returns the changes of a value whose JSON type changed: all members of the old and new object."""
        added = present_walk(node)(new) if isinstance(new, dict) else {}
        removed = present_walk(node)(old) if isinstance(old, dict) else {}
        return _without_self(added) or None, MEMBER, _without_self(removed) or None

    return walk


def _without_self(fields: FieldSet) -> FieldSet:
    return {element: below for element, below in fields.items() if element != SELF}


def _leaf(old: Any, new: Any) -> Changes | None:
    return None if old == new else _MODIFIED


def _exact_leaf(old: Any, new: Any) -> Changes | None:
    return None if same(old, new) else _MODIFIED


def _written_leaf(old: Any, new: Any) -> Changes | None:
    return None if encode(old) == encode(new) else _MODIFIED


def same(old: Any, new: Any) -> bool:
    """Whether two JSON values are equal. true differs from 1; 1 equals 1.0; a RawJson equals its value."""
    if old is new:
        return True
    old, new = value_of(old), value_of(new)
    match old:
        case dict():
            return (
                isinstance(new, dict)
                and old.keys() == new.keys()
                and all(same(value, new[name]) for name, value in old.items())
            )
        case list():
            return isinstance(new, list) and len(old) == len(new) and all(map(same, old, new))
        case _:
            return bool(old == new) and isinstance(old, bool) is isinstance(new, bool)


@kept_on_node
def plain(node: Node) -> bool:
    """Whether Python's `==` compares all values of a schema node correctly.

    False if the schema allows arbitrary JSON anywhere in the values, because Python's True equals 1.
    """
    return not any(
        isinstance(inner, AnyValue) or (isinstance(inner, Struct) and inner.others is not None)
        for inner in nodes_within(node)
    )


def _struct(node: Struct, typed: bool) -> Walk:  # noqa: FBT001 - private
    entries: list[tuple[str, PathElement, bool, Walk, PresentWalk, Callable[[Any], None]]] = []

    def walk(old: Any, new: Any) -> Changes | None:
        if not old and not new:
            return _leaf(old, new)
        if not entries:
            entries.extend(
                (
                    name,
                    element,
                    plain(field.node),
                    _walk(field.node, typed),
                    present_walk(field.node),
                    keys_check(field.node),
                )
                for name, element, field in named_fields(node)
            )
        old, new = old or {}, new or {}
        builder: _Builder | None = None
        for name, element, is_plain, walk_field, present, check_keys in entries:
            if name in new:
                value = new[name]
                if name in old:
                    before = old[name]
                    if before is value or (before == value if is_plain else encode(before) == encode(value)):
                        check_keys(value)
                        continue
                    changes = walk_field(before, value)
                    if changes is None:
                        continue
                else:
                    changes = present(value), None, None
            elif name in old:
                changes = None, None, present(old[name])
            else:
                continue
            if builder is None:
                builder = _Builder()
            builder.put(element, changes)
        if node.others is not None:
            builder = builder or _Builder()
            _compare_others(
                {name: old[name] for name in other_names(old, node)},
                {name: new[name] for name in other_names(new, node)},
                _walk(node.others, typed),
                present_walk(node.others),
                builder,
            )
            return builder.ordered()
        return None if builder is None else builder.changes()

    return walk


def _map(node: Map, typed: bool) -> Walk:  # noqa: FBT001 - private
    walk_value, present = _walk(node.values, typed), present_walk(node.values)

    def walk(old: Any, new: Any) -> Changes | None:
        if not old and not new:
            return _leaf(old, new)
        builder = _Builder()
        _compare_others(old or {}, new or {}, walk_value, present, builder)
        return builder.ordered()

    return walk


def _compare_others(
    old: dict[str, Any], new: dict[str, Any], walk_value: Walk, present: PresentWalk, found: _Builder
) -> None:
    """Compares two JSON objects whose members share one schema node; adds the changes to `found`.

    `walk_value`: compares two member values
    `present`: returns the fields of a member that only one object has
    """
    for name, value in new.items():
        if name not in old:
            found.added["f:" + name] = present(value)
        elif (changes := walk_value(old[name], value)) is not None:
            found.put("f:" + name, changes)
    for name in old.keys() - new.keys():
        found.removed["f:" + name] = present(old[name])


def _list(node: List, typed: bool) -> Walk:  # noqa: FBT001 - private
    element_of = item_element(node)
    walk_item, present = _walk(node.items, typed), present_walk(node.items)

    def walk(old: Any, new: Any) -> Changes | None:
        if not old and not new:
            return _leaf(old, new)
        return _compare_items(old or [], new or [], element_of, walk_item, present)

    return walk


def _compare_items(
    old: list[Any], new: list[Any], element_of: ItemElement, walk_item: Walk, present: PresentWalk
) -> Changes | None:
    """Compares two set or map lists item by item; returns None if they are equal.

    Items with duplicate keys are compared together, as one leaf field.

    - `element_of`: returns the path element of an item
    - `walk_item`: compares two items
    - `present`: returns all fields of an item; called for added items and for removed items
    """
    before, after = by_element(old, element_of), by_element(new, element_of)
    builder = _Builder()
    for element, news in after.items():
        olds = before.get(element, [])
        if not olds:
            builder.added[element] = present(news[0]) if len(news) == 1 else MEMBER
        elif len(olds) == len(news) == 1:
            if (changes := walk_item(olds[0], news[0])) is not None:
                builder.put(element, changes)
        elif len(olds) == 1:
            builder.added[element] = MEMBER
            builder.removed[element] = present(olds[0])
        elif len(news) == 1:
            builder.added[element] = present(news[0])
            builder.removed[element] = MEMBER
        elif not same(olds, news):
            builder.modified[element] = MEMBER
    for element, olds in before.items():
        if element not in after:
            builder.removed[element] = present(olds[0]) if len(olds) == 1 else MEMBER
    return builder.ordered()
