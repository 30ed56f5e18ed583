"""Finds items of map lists that lack their keys.

structured-merge-diff visits every item of both values in a comparison. For this reason, a comparison of two
equal lists also fails if an item lacks its keys.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from fakeapi.machinery.apply.typed import is_leaf, item_element
from fakeapi.machinery.codec import value_of
from fakeapi.machinery.schema.nodes import List, Map, Node, Struct, kept_on_node, nodes_within

KeysCheck: TypeAlias = Callable[[Any], None]
"""A function that raises TypedError if an item of a map list in a value lacks its keys."""


def no_check(_: Any) -> None:
    """Accepts every value. Used for types in which items of map lists always have keys."""


@kept_on_node
def keys_check(node: Node) -> KeysCheck:
    """Compiles a function that raises TypedError if a value contains a map list item without its keys.

    Returns `no_check` for types whose keys cannot be absent: the key fields are not `omitempty` or have
    defaults. Ignores values without a schema, and values that are owned as a whole.
    """
    if not any(isinstance(inner, List) and _omits_keys(inner) for inner in nodes_within(node, is_leaf)):
        return no_check
    match node:
        case Struct():
            return _struct_check(node)
        case Map():
            return lambda value: _each(value and value.values(), keys_check(node.values))
        case List():
            return _list_check(node)
        case _:
            return no_check


def _omits_keys(node: List) -> bool:
    """Whether Go may encode an item of the list without the keys that the item needs."""
    items, defaults = node.items, dict(node.key_defaults)
    if not node.keys or not isinstance(items, Struct):
        return False
    omitted = [
        key in items.fields and items.fields[key].omitempty and key not in defaults for key in node.keys
    ]
    return all(omitted) if node.keys_may_be_absent else any(omitted)


def _struct_check(node: Struct) -> KeysCheck:
    """Compiles the check of a struct.

    The first call of the check compiles the checks of the fields, because a type may contain itself.
    """
    needed: list[tuple[str, KeysCheck]] | None = None

    def check_members(value: Any) -> None:
        nonlocal needed
        if needed is None:
            checks = ((name, keys_check(field.node)) for name, field in node.fields.items())
            needed = [(name, check) for name, check in checks if check is not no_check]
        for name, check in needed:
            if value and name in value:
                check(value[name])

    return check_members


def _list_check(node: List) -> KeysCheck:
    element_of, check_item = item_element(node), keys_check(node.items)

    def check_items(value: Any) -> None:
        for item in value_of(value) or ():
            element_of(item)
            check_item(item)

    return check_items


def _each(values: Any, check: KeysCheck) -> None:
    for value in values or ():
        check(value)
