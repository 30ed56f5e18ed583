"""Sets of fields, in the form of FieldsV1: `{"f:metadata": {"f:labels": {".": {}, "f:a": {}}}}`.

An element with nothing below it, `"f:a": {}`, is a member. An element with fields below it is a member only
if these include `"."`. In the example, `labels` and `labels.a` are members and `metadata` is not. The empty
set is `{}` too, because the root is never a member.

Sets are immutable, and their elements are in canonical order. Unions and differences do not copy sets that
stay the same: without an effect, they return their first operand.

Follows sigs.k8s.io/structured-merge-diff `fieldpath`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from fakeapi.machinery.apply.pathelement import PathElement, PathElementError, in_order, parse

FieldSet: TypeAlias = dict[PathElement, "FieldSet"]
Path: TypeAlias = tuple[PathElement, ...]

SELF = "."


class _NoFields(dict[str, Any]):
    """An empty dict that refuses items, because many sets share it."""

    __slots__ = ()

    def __setitem__(self, key: str, value: Any) -> None:
        raise TypeError("a field set is never changed once made")


EMPTY: FieldSet = _NoFields()
"""The set without members, `{}`.

Below an element, the same empty dict means that the element itself is a member. For this meaning, the code
uses the name `MEMBER`.
"""
MEMBER = EMPTY


class FieldSetError(ValueError):
    """The FieldsV1 in a request are not valid."""


def from_fields_v1(fields: Any) -> FieldSet:
    """Reads a client's FieldsV1 into a canonical field set; ignores path elements of an unknown kind.

    Null counts as an empty object. Raises FieldSetError for any other value that is not an object, and for an
    invalid path element.
    """
    try:
        return without_self(_read(fields) or EMPTY)
    except PathElementError as error:
        raise FieldSetError(str(error)) from error


def _read(fields: Any) -> FieldSet | None:
    if fields is None:
        return None
    if not isinstance(fields, dict):
        raise FieldSetError("fields are not an object")
    sets_by_element: dict[PathElement, list[FieldSet]] = {}
    for text, below in fields.items():
        if text == SELF:
            continue
        element = parse(text)
        if element is not None:
            sets_by_element.setdefault(element, []).append(_read(below) or MEMBER)
    result = {element: union_of(sets) for element, sets in sets_by_element.items()}
    if result and SELF in fields:
        result[SELF] = MEMBER
    return ordered(result)


def ordered(fields: FieldSet) -> FieldSet:
    """Returns `fields` with its elements sorted; the sets below the elements must be sorted already."""
    names = in_order(fields)
    return fields if names == list(fields) else {name: fields[name] for name in names}


def without_self(fields: FieldSet) -> FieldSet:
    return {name: below for name, below in fields.items() if name != SELF} if SELF in fields else fields


def from_paths(paths: Iterable[Path]) -> FieldSet:
    result: FieldSet = EMPTY
    for path in paths:
        result = union(result, _single(path)) if path else result
    return result


def _single(path: Path) -> FieldSet:
    result: FieldSet = MEMBER
    for element in reversed(path):
        result = {element: result}
    return result


def paths_of(fields: FieldSet, prefix: Path = ()) -> Iterator[Path]:
    """Yields the path of every member; the siblings of an element come before the members below it.

    For `{"f:a": {".": {}, "f:b": {}}}`, yields `("f:a",)` and `("f:a", "f:b")`.

    `prefix`: the path of `fields` itself, with which all paths begin
    """
    for element, below in fields.items():
        if element != SELF and (not below or SELF in below):
            yield (*prefix, element)
    for element, below in fields.items():
        if below:
            yield from paths_of(below, (*prefix, element))


def has(fields: FieldSet, path: Path) -> bool:
    """Whether `path` is a member of `fields`; `path` must not be empty."""
    for element in path:
        below = fields.get(element)
        if below is None:
            return False
        fields = below
    return not fields or SELF in fields


def union(left: FieldSet, right: FieldSet) -> FieldSet:
    """Returns the union of two complete field sets.

    Do not call this for the sets below an element, where an empty set means the element itself.
    """
    if not right or left is right:
        return left
    return _union(left, right) if left else right


def union_of(sets: Sequence[FieldSet]) -> FieldSet:
    """Returns the union of one or more field sets. Unites pairs of sets, and then pairs of the results."""
    while len(sets) > 1:
        pairs = zip(sets[::2], sets[1::2], strict=False)
        sets = [*(union(*pair) for pair in pairs), *sets[len(sets) & ~1 :]]
    return sets[0]


def _union(left: FieldSet, right: FieldSet) -> FieldSet:
    changed: FieldSet = {}
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None:
            changed[element] = theirs
        elif ours is not theirs and element != SELF:
            both = _joined(ours, theirs)
            if both is not ours:
                changed[element] = both
    if not changed:
        return left
    return ordered({**left, **changed})


def _joined(left: FieldSet, right: FieldSet) -> FieldSet:
    """Returns the union of the two sets below one element; an empty set means the element itself."""
    if not right:
        return left if not left or SELF in left else {SELF: MEMBER, **left}
    if not left:
        return right if SELF in right else {SELF: MEMBER, **right}
    return _union(left, right)


def difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Returns the members of `left` that are not members of `right`.

    Members of `left` below a member of `right` stay.
    """
    return _minus(left, right, _below_minus) if left else left


def recursive_difference(left: FieldSet, right: FieldSet) -> FieldSet:
    """Returns the members of `left` that are neither members of `right` nor below a member of `right`."""
    return _minus(left, right, _below_minus_all)


_Minus: TypeAlias = Callable[[FieldSet, FieldSet], FieldSet | None]
"""A function that subtracts the fields below one element: (minuend, subtrahend) -> difference.

None as the result removes the element itself.
"""


def _minus(left: FieldSet, right: FieldSet, below: _Minus) -> FieldSet:
    result: FieldSet | None = None
    for element, theirs in right.items():
        ours = left.get(element)
        if ours is None or element == SELF:
            continue
        rest = below(ours, theirs)
        if rest is ours:
            continue
        if result is None:
            result = dict(left)
        if rest is None:
            del result[element]
        else:
            result[element] = rest
    return left if result is None else result


def _below_minus(ours: FieldSet, theirs: FieldSet) -> FieldSet | None:
    kept = not ours or SELF in ours
    stays = kept and not (not theirs or SELF in theirs)
    if not ours:
        return ours if stays else None
    rest = difference(ours, theirs)
    children = without_self(rest)
    if not children:
        return MEMBER if stays else None
    if kept and not stays:
        return children
    return rest


def _below_minus_all(ours: FieldSet, theirs: FieldSet) -> FieldSet | None:
    if not theirs or SELF in theirs:
        return None
    rest = recursive_difference(ours, theirs)
    if rest is not ours and rest.keys() <= {SELF}:
        return MEMBER if rest else None
    return rest


def intersection(left: FieldSet, right: FieldSet) -> FieldSet:
    """Returns the members of both sets."""
    result: FieldSet = {}
    for element, ours in left.items():
        theirs = right.get(element)
        if theirs is None or element == SELF:
            continue
        member = (not ours or SELF in ours) and (not theirs or SELF in theirs)
        below = intersection(ours, theirs)
        if below:
            result[element] = {SELF: MEMBER, **below} if member else below
        elif member:
            result[element] = MEMBER
    return result


def leaves(fields: FieldSet) -> FieldSet:
    """Returns the members that have no members below them."""
    return {element: leaves(below) for element, below in fields.items() if element != SELF}
