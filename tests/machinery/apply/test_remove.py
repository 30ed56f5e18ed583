"""The removal of fields from an object gives the results in structured-merge-diff's tables."""

from typing import Any

from fakeapi.machinery.apply.fieldset import from_fields_v1
from fakeapi.machinery.apply.remove import remove, with_named_fields
from fakeapi.machinery.schema.nodes import Field, Scalar, ScalarKind, Struct
from tests.machinery.apply.tables import node_of, rows


@rows("remove")
def test_removing_fields_takes_away_items_and_leaves_null_where_nothing_is_left(row: dict[str, Any]) -> None:
    assert remove(row["object"], from_fields_v1(row["set"]), node_of(row)) == row["out"]


def test_structs_on_the_way_to_a_member_become_members() -> None:
    inner = Struct("v1.Inner", {"a": Field("a", Scalar(ScalarKind.STRING, "string"))})
    node = Struct("v1.Outer", {"inner": Field("inner", inner)})
    assert with_named_fields({"f:inner": {"f:a": {}}}, node) == {"f:inner": {".": {}, "f:a": {}}}
    assert with_named_fields({"f:other": {"f:a": {}}}, node) == {"f:other": {"f:a": {}}}
