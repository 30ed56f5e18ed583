"""A merge of a configuration into an object gives the results in structured-merge-diff's tables."""

from typing import Any

import pytest

from fakeapi.machinery.apply.merge import merge
from fakeapi.machinery.apply.typed import TypedError
from fakeapi.machinery.schema.nodes import List, ListType, Scalar, ScalarKind
from tests.machinery.apply.tables import node_of, rows


@rows("merge")
def test_a_merge_lays_the_applied_value_over_the_live_one(row: dict[str, Any]) -> None:
    assert merge(row["lhs"], row["rhs"], node_of(row)) == row["out"]


SET = List(Scalar(ScalarKind.STRING, "string"), "[]string", ListType.SET)


def test_shared_items_stand_as_applied_and_the_others_where_their_own_list_has_them() -> None:
    assert merge(["a", "b", "c", "d"], ["d", "x", "b"], SET) == ["a", "c", "d", "x", "b"]


def test_an_applied_set_holds_each_item_once() -> None:
    with pytest.raises(TypedError, match='duplicate entries for key \\[="a"\\]'):
        merge(["b"], ["a", "a"], SET)
