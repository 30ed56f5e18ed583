"""What fields a value has, and what becomes of it by merges and removals: structured-merge-diff's tables."""

from typing import Any

import pytest

from fakeapi.machinery.apply.compare import compare
from fakeapi.machinery.apply.fieldset import from_fields_v1
from fakeapi.machinery.apply.merge import merge
from fakeapi.machinery.apply.reconcile import reconciled
from fakeapi.machinery.apply.remove import remove
from fakeapi.machinery.apply.typed import TypedError, field_set_of, item_element, present_walk
from fakeapi.machinery.apply.validate import validate
from fakeapi.machinery.schema.nodes import Field, List, ListType, Node, Scalar, ScalarKind, Struct
from tests.machinery.apply.tables import Types, read

TABLES = read("typed.json")
SCHEMAS = {name: Types(schema) for name, schema in TABLES["schemas"].items()}


def rows(table: str) -> pytest.MarkDecorator:
    cases = TABLES[table]
    assert cases
    return pytest.mark.parametrize("row", cases, ids=[f"{row['schema']} {row['name']}" for row in cases])


def node_of(row: dict[str, Any]) -> Node:
    return SCHEMAS[row["schema"]].node()


@rows("toset")
def test_a_value_mentions_its_leaves_and_items(row: dict[str, Any]) -> None:
    assert field_set_of(row["object"], node_of(row)) == from_fields_v1(row["set"])


@rows("symdiff")
def test_a_comparison_tells_added_modified_and_removed_fields(row: dict[str, Any]) -> None:
    found = compare(row["lhs"], row["rhs"], node_of(row))
    assert found.added == from_fields_v1(row["added"])
    assert found.modified == from_fields_v1(row["modified"])
    assert found.removed == from_fields_v1(row["removed"])


@rows("symdiff")
def test_a_comparison_the_other_way_round_swaps_added_and_removed(row: dict[str, Any]) -> None:
    found = compare(row["rhs"], row["lhs"], node_of(row))
    assert found.added == from_fields_v1(row["removed"])
    assert found.modified == from_fields_v1(row["modified"])
    assert found.removed == from_fields_v1(row["added"])


@rows("merge")
def test_a_merge_lays_the_applied_value_over_the_live_one(row: dict[str, Any]) -> None:
    assert merge(row["lhs"], row["rhs"], node_of(row)) == row["out"]


@rows("remove")
def test_removing_fields_takes_away_items_and_leaves_null_where_nothing_is_left(row: dict[str, Any]) -> None:
    assert remove(row["object"], from_fields_v1(row["set"]), node_of(row)) == row["out"]


@rows("reconcile")
def test_what_became_atomic_is_owned_as_a_whole(row: dict[str, Any]) -> None:
    before = from_fields_v1(row["before"])
    after = reconciled(before, node_of(row))
    if row["after"] is None:
        assert after is before
    else:
        assert after == from_fields_v1(row["after"])


@rows("validate")
@pytest.mark.parametrize("allow_duplicates", [False, True])
def test_a_value_is_refused_in_the_words_of_structured_merge_diff(
    row: dict[str, Any],
    allow_duplicates: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    expected = row["error_with_duplicates" if allow_duplicates else "error"]
    if not expected:
        validate(row["object"], node_of(row), allow_duplicates=allow_duplicates)
        return
    with pytest.raises(TypedError) as refused:
        validate(row["object"], node_of(row), allow_duplicates=allow_duplicates)
    assert str(refused.value) == expected


STRING = Scalar(ScalarKind.STRING, "string")


def test_what_is_present_includes_the_containers() -> None:
    inner = Struct("Inner", {"name": Field("name", STRING)})
    node = Struct("Outer", {"list": Field("list", List(inner, "", ListType.MAP, ("name",)))})
    assert present_walk(node)({"list": [{"name": "a"}]}) == {
        ".": {},
        "f:list": {".": {}, 'k:{"name":"a"}': {".": {}, "f:name": {}}},
    }


def test_an_unknown_field_has_no_place_in_a_field_set() -> None:
    node = Struct("Outer", {"known": Field("known", STRING)})
    assert field_set_of({"known": "a", "unknown": "b"}, node) == {"f:known": {}}


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (None, "associative list without keys has an element that's an explicit null"),
        ([1], "not supported: associative list with lists as elements"),
        ({"a": 1}, "associative list without keys has an element that's a map type"),
    ],
)
def test_an_item_of_a_set_is_a_scalar(item: Any, message: str) -> None:
    with pytest.raises(TypedError, match=message):
        item_element(List(STRING, "", ListType.SET))(item)


def test_a_key_that_is_left_out_has_its_default() -> None:
    element_of = item_element(List(STRING, "", ListType.MAP, ("port", "protocol"), (("protocol", "TCP"),)))
    assert element_of({"port": 80}) == 'k:{"port":80,"protocol":"TCP"}'
    with pytest.raises(TypedError, match='omits key field "port"'):
        element_of({"protocol": "UDP"})
