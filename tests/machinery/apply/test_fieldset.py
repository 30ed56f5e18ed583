"""A field set behaves as a set of field paths, whatever its JSON form."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.machinery import codec
from fakeapi.machinery.apply.fieldset import (
    EMPTY,
    FieldSet,
    FieldSetError,
    Path,
    difference,
    from_fields_v1,
    from_paths,
    has,
    intersection,
    leaves,
    paths_of,
    recursive_difference,
    union,
)

ELEMENTS = st.sampled_from(
    ["f:a", "f:b", "f:c", 'k:{"name":"x"}', 'k:{"name":"y!"}', 'v:"one"', "v:2", "i:0"]
)
PATHS = st.lists(ELEMENTS, min_size=1, max_size=4).map(tuple)
PATH_SETS = st.frozensets(PATHS, max_size=8)
law = settings(max_examples=150, derandomize=True, deadline=None)


def paths(fields: FieldSet) -> set[Path]:
    items = list(paths_of(fields))
    assert len(items) == len(set(items))
    return set(items)


def canonical(fields: FieldSet) -> bool:
    """Whether the FieldsV1 form of a field set is sorted and has no empty branches."""
    return codec.encode(from_fields_v1(fields)) == codec.encode(fields)


@law
@given(PATH_SETS)
def test_a_set_holds_the_paths_it_was_made_of(wanted: frozenset[Path]) -> None:
    fields = from_paths(wanted)
    assert paths(fields) == wanted
    assert canonical(fields)
    assert all(has(fields, path) for path in wanted)


@law
@given(PATH_SETS, PATHS)
def test_a_set_has_no_other_paths(wanted: frozenset[Path], other: Path) -> None:
    assert has(from_paths(wanted), other) == (other in wanted)


@law
@given(PATH_SETS)
def test_a_set_survives_the_wire(wanted: frozenset[Path]) -> None:
    fields = from_paths(wanted)
    assert from_fields_v1(codec.decode(codec.encode(fields))) == fields


@law
@given(PATH_SETS, PATH_SETS)
def test_union_intersection_and_difference_are_those_of_the_paths(
    left: frozenset[Path], right: frozenset[Path]
) -> None:
    ours, theirs = from_paths(left), from_paths(right)
    for result, expected in (
        (union(ours, theirs), left | right),
        (intersection(ours, theirs), left & right),
        (difference(ours, theirs), left - right),
    ):
        assert paths(result) == expected
        assert canonical(result)


@law
@given(PATH_SETS, PATH_SETS)
def test_a_recursive_difference_takes_along_what_is_below(
    left: frozenset[Path], right: frozenset[Path]
) -> None:
    rest = recursive_difference(from_paths(left), from_paths(right))
    gone = {path for path in left if any(path[: len(prefix)] == prefix for prefix in right)}
    assert paths(rest) == left - gone
    assert canonical(rest)


@law
@given(PATH_SETS)
def test_a_leaf_has_no_member_below_it(wanted: frozenset[Path]) -> None:
    inner = {path for path in wanted for other in wanted if other != path and other[: len(path)] == path}
    assert paths(leaves(from_paths(wanted))) == wanted - inner


@law
@given(PATH_SETS, PATH_SETS)
def test_operations_leave_their_operands_alone(left: frozenset[Path], right: frozenset[Path]) -> None:
    ours, theirs = from_paths(left), from_paths(right)
    before = codec.encode([ours, theirs])
    for operation in (union, intersection, difference, recursive_difference):
        operation(ours, theirs)
    assert codec.encode([ours, theirs]) == before


@law
@given(PATH_SETS, PATH_SETS)
def test_what_changes_nothing_returns_the_first_operand_itself(
    left: frozenset[Path], right: frozenset[Path]
) -> None:
    ours = from_paths(left)
    assert union(ours, from_paths(left & right)) is ours
    assert difference(ours, from_paths(right - left)) is ours


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (None, {}),
        ({}, {}),
        ({".": {}}, {}),
        ({"f:b": {}, "f:a": {}}, {"f:a": {}, "f:b": {}}),
        ({"f:a": None}, {"f:a": {}}),
        ({"f:a": {".": {}}}, {"f:a": {}}),
        ({"f:a": {"x:unknown": {}}}, {"f:a": {}}),
        ({"f:a": {"x:unknown": {}, "f:b": {}}}, {"f:a": {"f:b": {}}}),
        ({'k:{ "b": 1, "a": "x" }': {}}, {'k:{"a":"x","b":1}': {}}),
        ({'k:{"a":1}': {"f:x": {}}, 'k:{"a": 1}': {}}, {'k:{"a":1}': {"f:x": {}}}),
        ({"i:2": {}, "v:1.0": {}, "f:z": {}}, {"f:z": {}, "v:1": {}, "i:2": {}}),
    ],
)
def test_fields_of_a_client_are_read_into_canonical_form(sent: Any, read: FieldSet) -> None:
    fields = from_fields_v1(sent)
    assert fields == read
    assert list(fields) == list(read)


@pytest.mark.parametrize(
    "sent",
    [[], "f:a", 1, {"a": {}}, {"fa": {}}, {"": {}}, {"f:a": "x"}, {"v:{": {}}, {"i:x": {}}, {"k:1": {}}],
)
def test_fields_that_cannot_be_read_are_an_error(sent: Any) -> None:
    with pytest.raises(FieldSetError):
        from_fields_v1(sent)


def test_the_empty_path_is_no_member() -> None:
    assert from_paths([()]) == EMPTY
