"""Merges an applied configuration into a live object.

Follows sigs.k8s.io/structured-merge-diff `typed` (Merge). A merge removes nothing. If both objects have a
value for the same leaf field, the result has the applied value, even null. Set and map lists are merged item
by item. Items that are in both lists are in the order of the applied list.
"""

from collections.abc import Callable
from typing import Any

from fakeapi.machinery.apply.pathelement import PathElement, spell
from fakeapi.machinery.apply.typed import TypedError, by_element, is_leaf, item_element, shape_of
from fakeapi.machinery.schema.nodes import List, Map, Node, Struct, Untyped


class _Absent:
    """Marks a member that one side of a merge lacks; None would mean null."""


_ABSENT = _Absent()


def merge(live: Any, applied: Any, node: Node) -> Any:
    """Merges `applied` into `live` and returns the result; None if the result is empty.

    Neither argument is changed; the result shares objects with both.

    Raises TypedError if an item of a map list lacks its keys, and for duplicate items in an applied list.
    """
    result = _merge(live, applied, node)
    return None if result is _ABSENT else result


def _merge_shaped(live: Any, applied: Any, node: Untyped) -> Any:
    """Merges values without a schema by their JSON type.

    If the types differ, returns the applied value. But an applied null keeps the members of a live object.
    """
    shape = shape_of(live if applied is _ABSENT else applied, node)
    if applied is None and isinstance(live, dict):
        shape = shape_of(live, node)
    if shape is None:
        return live if applied is _ABSENT else applied
    kind = list if isinstance(shape, List) else dict
    return _merge(live if isinstance(live, kind) else _ABSENT, applied, shape)


def _merge(live: Any, applied: Any, node: Node) -> Any:
    if isinstance(node, Untyped):
        return _merge_shaped(live, applied, node)
    nothing = (live is _ABSENT or not live) and (applied is _ABSENT or not applied)
    if is_leaf(node) or nothing:
        return live if applied is _ABSENT else applied
    old: Any = {} if live is _ABSENT or live is None else live
    new: Any = {} if applied is _ABSENT or applied is None else applied
    match node:
        case Struct():
            fields = node.fields
            return _merge_members(old, new, lambda name: fields[name].node if name in fields else node.others)
        case Map():
            return _merge_members(old, new, lambda _: node.values)
        case List():
            return _merge_items(old or [], new or [], node)
        case _:
            return applied


def _merge_members(
    live: dict[str, Any], applied: dict[str, Any], node_of: Callable[[str], Node | None]
) -> Any:
    result: dict[str, Any] = {}
    for name in [*live, *(name for name in applied if name not in live)]:
        node = node_of(name)
        if node is None:
            continue
        value = _merge(live.get(name, _ABSENT), applied.get(name, _ABSENT), node)
        if value is not _ABSENT:
            result[name] = value
    return result or _ABSENT


def _merge_items(live: list[Any], applied: list[Any], node: List) -> Any:
    element_of = item_element(node)
    applied_by_element: dict[PathElement, Any] = {}
    for item in applied:
        element = element_of(item)
        if element in applied_by_element:
            raise TypedError(f"duplicate entries for key {spell(element)}")
        applied_by_element[element] = item
    present = {
        element: items[0] if len(items) == 1 else None
        for element, items in by_element(live, element_of).items()
    }
    result: list[Any] = []
    for element, item in _in_merged_order(
        [(element_of(item), item) for item in live], present, list(applied_by_element)
    ):
        merged = (
            _merge(present.get(element, _ABSENT), applied_by_element[element], node.items)
            if element in applied_by_element
            else _merge(item, _ABSENT, node.items)
        )
        if merged is not _ABSENT:
            result.append(merged)
    return result or _ABSENT


def _in_merged_order(
    live: list[tuple[PathElement, Any]], present: dict[PathElement, Any], wanted: list[PathElement]
) -> list[tuple[PathElement, Any]]:
    """Returns the items of a live and an applied list in merged order: (path element, live item).

    - `live`: the live items with their path elements
    - `present`: the live items by path element
    - `wanted`: the path elements of the applied list; in the result, their live item is None

    Elements that are in both lists have the order of `wanted`. An element of only one list keeps its position
    in this list. Example: live `[a, b, c, d]` and applied `[d, x, b]` become `[a, c, d, x, b]`.

    Follows mergingWalker.visitListItems.
    """
    shared = [element for element in wanted if element in present]
    is_wanted = set(wanted)
    done: set[PathElement] = set()
    result: list[tuple[PathElement, Any]] = []
    left = right = 0

    def take_wanted() -> None:
        nonlocal right
        element = wanted[right]
        done.add(element)
        result.append((element, None))
        if shared and shared[0] == element:
            del shared[0]
        right += 1

    while left < len(live) or right < len(wanted):
        if left < len(live) and right < len(wanted):
            element = live[left][0]
            if element == wanted[right]:
                take_wanted()
                left += 1
                continue
            if element in is_wanted and shared and shared[0] != element:
                left += 1
                continue
        if left < len(live):
            element = live[left][0]
            if element not in is_wanted:
                result.append(live[left])
                left += 1
                continue
            if element in done:
                left += 1
        if right < len(wanted):
            take_wanted()
    return result
