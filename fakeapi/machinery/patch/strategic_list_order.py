"""Merges lists in strategic merge patches: finds elements with the same identity, and orders the result.

Follows the list functions of k8s.io/apimachinery `pkg/util/strategicpatch`. The merge key of a list of
scalars is the empty string. Unexpected patches raise ApiError 500, as in kube-apiserver.
"""

from collections.abc import Hashable, Sequence
from heapq import heappop, heappush
from typing import Any

from fakeapi.machinery.errors import ApiError, Details
from fakeapi.machinery.golang.fmt import printed, type_name
from fakeapi.machinery.golang.sorting import slice_stable

DIRECTIVE = "$patch"
"""The member of an object in a strategic merge patch that contains a directive: replace, delete or merge."""


def unexpected(message: str) -> ApiError:
    return ApiError(500, "", message)


def no_merge_key(item: dict[str, Any], key: str) -> ApiError:
    return unexpected(f"map: {printed(item)} does not contain declared merge key: {key}")


def wrong_type(wanted: Any, value: Any) -> ApiError:
    return unexpected(f"expected a {type_name(wanted)}, but received a {type_name(value)}")


def identity(value: Any) -> Hashable:
    """Returns a hashable key that compares scalars like Go: 1, true and 1.0 have different keys.

    Raises ApiError 500 for an object or a list.
    """
    if isinstance(value, dict | list):
        raise unexpected(f"runtime error: hash of unhashable type {type_name(value)}")
    return (type(value), value)


def element_kind(*lists: list[Any]) -> type:
    """Returns the common type of the elements of all lists, like sliceElementType.

    Raises ApiError: 500 if the types differ or all lists are empty, 422 if the elements are lists.
    """
    kind: type | None = None
    for item in (item for items in lists for item in items):
        if kind is None:
            kind = type(item)
            if kind is list:
                raise ApiError(
                    422,
                    "Invalid",
                    "the server rejected our request due to an error in our request",
                    Details(),
                )
        if item is None or type(item) is not kind:
            raise unexpected(f"list element types are not identical: {printed(list(lists))}")
    if kind is None:
        raise unexpected("no elements in any of the given slices")
    return kind


def deduplicated(items: list[Any]) -> list[Any]:
    """Removes repeated scalars from a list; returns the rest in the order of upstream's deduplicateScalars.

    Upstream replaces each repetition by the last element of the list. For example, `[a, b, a, c, a, d]`
    becomes `[a, b, d, c]`.
    """
    items = list(items)
    places: dict[Hashable, list[int]] = {}
    for place, item in enumerate(items):
        places.setdefault(identity(item), []).append(place)
    first = 0
    while len(items) > len(places):
        mine = places[identity(items[first])]
        heappop(mine)
        # Elements at `len(items)` and behind have moved to other places.
        while mine and (place := heappop(mine)) < len(items):
            last = items.pop()
            if place < len(items):
                items[place] = last
                heappush(places[identity(last)], place)
        first += 1
    return items


def is_directive(value: Any) -> bool:
    return isinstance(value, dict) and DIRECTIVE in value


def check_order(changes: list[Any], order: list[Any], merge_key: str) -> None:
    """Raises ApiError 500 if `$setElementOrder` omits an element of the patch, or lists it in another order.

    - `changes`: the list in the patch
    - `order`: the value of `$setElementOrder`; it need not list deleted elements
    - `merge_key`: "" for a list of scalars

    Follows validatePatchWithSetOrderList.
    """
    if not order or not changes:
        return
    if merge_key:
        for item in changes:
            if not isinstance(item, dict):
                raise wrong_type({}, item)
    remaining = [item for item in changes if not (merge_key and _deletes(item))]
    position = place = 0
    while position < len(remaining) and place < len(order):
        if is_directive(remaining[position]):
            position += 1
            continue
        if _same_element(remaining[position], order[place], merge_key):
            position += 1
        place += 1
    if position < len(remaining):
        raise unexpected(
            f"The order in patch list:\n{printed(changes)}\n"
            f" doesn't match $setElementOrder list:\n{printed(order)}\n"
        )


def _same_element(one: Any, other: Any, merge_key: str) -> bool:
    if merge_key:
        return merge_value(one, merge_key) == merge_value(other, merge_key)
    return type(one) is type(other) and one == other


def _deletes(item: Any) -> bool:
    return isinstance(item, dict) and item.get(DIRECTIVE) == "delete"


def merge_value(item: Any, merge_key: str) -> Hashable:
    """Returns the identity of a list element: the value of its merge key, or the scalar itself.

    With a merge key, raises ApiError 500 for an element without the key. Without a merge key, raises ApiError
    500 for an object or a list.
    """
    return _member_value(item, merge_key) if merge_key else identity(item)


def _member_value(item: Any, merge_key: str) -> Hashable:
    if not isinstance(item, dict):
        raise wrong_type({}, item)
    if merge_key not in item:
        raise no_merge_key(item, merge_key)
    return identity(item[merge_key])


def partition(items: list[Any], by: list[Any], merge_key: str) -> tuple[list[Any], list[Any]]:
    """Splits `items` into (elements that are also in `by`, other elements).

    `merge_key`: the member that identifies an element; "" for scalars

    Raises ApiError 500 if an element has no merge key or an unexpected type. Follows
    partitionMapsByPresentInList.
    """
    if merge_key:
        for index, item in enumerate(by):
            if not isinstance(item, dict):
                raise unexpected(f"value for key {index} is not a map")
        names = {identity(item[merge_key]) for item in by if merge_key in item}
    else:
        names = {identity(item) for item in by}
    named: list[Any] = []
    others: list[Any] = []
    for item in items:
        (named if merge_value(item, merge_key) in names else others).append(item)
    return named, others


def live_order(live: list[Any], changes: list[Any], merge_key: str) -> list[Any]:
    """Returns the live list in the order in which upstream sorts merged elements.

    Upstream's mergeSliceWithSpecialElements deletes elements in place and then appends to the same Go array.
    The first new elements therefore overwrite the slots freed by deletions, and count as live elements. For
    example, if the patch deletes a and adds x and y, the list `[a, b, c]` becomes `[b, c, x]`.

    - `changes`: the list in the patch
    - `merge_key`: "" for a list of scalars
    """
    if not merge_key or not any(is_directive(item) for item in changes):
        return live
    places, size = _deleted_in_place(live, [item for item in changes if _deletes(item)], merge_key)
    if any(item.get(DIRECTIVE) == "replace" for item in changes):
        return places
    known = {merge_value(item, merge_key) for item in places[:size]}
    added = [item for item in changes if not is_directive(item) and merge_value(item, merge_key) not in known]
    places[size : size + len(added)] = added[: len(places) - size]
    return places


def _deleted_in_place(live: list[Any], deletions: list[Any], merge_key: str) -> tuple[list[Any], int]:
    """Returns Go's array after in-place deletions, and the number of remaining elements at its front.

    Each deletion moves later elements one slot forward, and leaves a second copy of the last element.

    `live`: the live list
    `deletions`: the elements of the patch with `$patch: delete`
    """
    positions: dict[Hashable, list[int]] = {}
    left_over: list[Any] = []
    is_left = [True] * len(live)
    last = len(live) - 1
    for index, deletion in enumerate(deletions):
        deleted = merge_value(deletion, merge_key)
        if not index:
            for position, item in enumerate(live):
                positions.setdefault(merge_value(item, merge_key), []).append(position)
        for position in positions.pop(deleted, ()):
            left_over.append(live[last])
            is_left[position] = False
            while last >= 0 and not is_left[last]:
                last -= 1
    front = [item for item, stays in zip(live, is_left, strict=True) if stays]
    return front + left_over[::-1], len(front)


class _Order:
    """The positions of the elements of a list, by the identity of each element."""

    def __init__(self, items: Sequence[Any], merge_key: str | None) -> None:
        self._merge_key = merge_key
        self._places: dict[Hashable, int] = {}
        for index, item in enumerate(items):
            self._places.setdefault(self._of(item), index)

    def _of(self, item: Any) -> Hashable:
        return identity(item) if self._merge_key is None else _member_value(item, self._merge_key)

    def place(self, item: Any) -> int | None:
        return self._places.get(self._of(item))

    def sorted(self, items: list[Any]) -> list[Any]:
        """Sorts `items` into the order of this list, like normalizeSliceOrder.

        Elements with `$patch: delete` are last.

        Upstream treats an element that is not in this list as less than all other elements. In the order of
        `[a, b, c]`, `[a, c, x]` becomes `[x, a, c]`.
        """
        placed = [(self.place(item), item) for item in items if not _deletes(item)]
        if all(place is not None for place, _ in placed):
            placed.sort(key=_place_of)
        else:
            placed = slice_stable(placed, _is_before)
        return [item for _, item in placed] + [item for item in items if _deletes(item)]


def _place_of(placed: tuple[int | None, Any]) -> int:
    assert placed[0] is not None
    return placed[0]


def _is_before(one: tuple[int | None, Any], other: tuple[int | None, Any]) -> bool:
    return one[0] is None or other[0] is None or one[0] < other[0]


def in_order(
    named: list[Any], others: list[Any], wanted: list[Any], live: list[Any], merge_key: str | None
) -> list[Any]:
    """Returns the elements of a patch and of the live list in merged order.

    Follows normalizeElementOrder and mergeSortedSlice. For `named` `[c, a]`, `others` `[b, d]` and `live`
    `[a, b, c, d]`, returns `[b, c, a, d]`.

    - `named`: elements that the patch orders; they follow the order of `wanted`.
    - `others`: the remaining elements; they follow the order of `live`. An element of `others` comes before
      the elements of `named` that it precedes in `live`.
    - `merge_key`: None for scalars.
    """
    live_order = _Order(live, merge_key)
    named = _Order(wanted, merge_key).sorted(named)
    others = live_order.sorted(others)
    result: list[Any] = []
    left = 0
    for item in named:
        place = live_order.place(item)
        while left < len(others):
            other = live_order.place(others[left])
            if place is None or other is None or other >= place:
                break
            result.append(others[left])
            left += 1
        result.append(item)
    return result + others[left:]
