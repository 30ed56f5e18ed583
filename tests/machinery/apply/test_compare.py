"""A comparison of two objects gives the results in structured-merge-diff's tables."""

from typing import Any

from fakeapi.machinery.apply.compare import compare, plain, same
from fakeapi.machinery.apply.fieldset import from_fields_v1
from fakeapi.machinery.schema.nodes import AnyValue, Field, Scalar, ScalarKind, Struct
from tests.machinery.apply.tables import node_of, rows


@rows("symdiff")
def test_a_comparison_tells_added_modified_and_removed_fields(row: dict[str, Any]) -> None:
    differences = compare(row["lhs"], row["rhs"], node_of(row))
    assert differences.added == from_fields_v1(row["added"])
    assert differences.modified == from_fields_v1(row["modified"])
    assert differences.removed == from_fields_v1(row["removed"])


@rows("symdiff")
def test_a_comparison_the_other_way_round_swaps_added_and_removed(row: dict[str, Any]) -> None:
    differences = compare(row["rhs"], row["lhs"], node_of(row))
    assert differences.added == from_fields_v1(row["removed"])
    assert differences.modified == from_fields_v1(row["modified"])
    assert differences.removed == from_fields_v1(row["added"])


def test_true_is_not_one() -> None:
    assert not same({"a": [True]}, {"a": [1]})
    assert same({"a": [1]}, {"a": [1.0]})


def test_only_a_type_with_values_of_any_shape_needs_more_than_pythons_equality() -> None:
    number = Scalar(ScalarKind.INTEGER, "int64")
    typed = Struct("v1.Typed", {"a": Field("a", number)})
    typed.fields["itself"] = Field("itself", typed, pointer=True)
    opaque = Struct("v1.Opaque", {"typed": Field("typed", typed), "any": Field("any", AnyValue("any"))})
    assert plain(typed)
    assert not plain(opaque)


def test_what_is_ignored_is_left_out_with_all_below_it() -> None:
    number = Scalar(ScalarKind.INTEGER, "int64")
    inner = Struct("v1.Inner", {"a": Field("a", number)})
    node = Struct("v1.Outer", {"inner": Field("inner", inner), "b": Field("b", number)})
    differences = compare({}, {"inner": {"a": 1}, "b": 2}, node)
    assert differences.added == {"f:inner": {".": {}, "f:a": {}}, "f:b": {}}
    assert differences.without({"f:inner": {}}).added == {"f:b": {}}
