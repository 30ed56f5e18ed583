"""The field set of an object is the same as in structured-merge-diff's tables."""

from typing import Any

import pytest

from fakeapi.machinery.apply.fieldset import from_fields_v1
from fakeapi.machinery.apply.typed import TypedError, field_set_of, item_element, present_walk
from fakeapi.machinery.schema.nodes import Field, List, ListType, Scalar, ScalarKind, Struct
from tests.machinery.apply.tables import node_of, rows


@rows("toset")
def test_a_value_mentions_its_leaves_and_items(row: dict[str, Any]) -> None:
    assert field_set_of(row["object"], node_of(row)) == from_fields_v1(row["set"])


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
