"""Validation compares parts of objects semantically, as Kubernetes does: absent equals empty."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.registry.model.semantic_equality import semantically_equal, validate_immutable

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None, derandomize=True)
@given(JSON)
def test_a_value_equals_itself_and_nothing_wrapped_around_it(value: Any) -> None:
    assert semantically_equal(value, value)
    assert not semantically_equal(value, [value])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"requests": None}, {"requests": []}),
        ({"requests": []}, {}),
        ({"a": {"results": None}}, {"a": {}}),
        ([], []),
    ],
)
def test_a_list_without_items_equals_none(one: Any, other: Any) -> None:
    assert semantically_equal(one, other)
    assert semantically_equal(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"a": True}),
        ({"a": ["x", "y"]}, {"a": ["y", "x"]}),
        ({"adminAccess": False}, {}),
        ({"opaque": {}}, {}),
        ({"parameters": {"a": 1, "b": 2}}, {"parameters": {"b": 2, "a": 1}}),
        ({"parameters": {"a": []}}, {"parameters": {}}),
        ({"parameters": {"a": 1}}, {"parameters": {"a": 1.0}}),
    ],
)
def test_values_that_differ_are_not_equal(one: Any, other: Any) -> None:
    assert not semantically_equal(one, other)


def test_a_change_of_what_may_not_change_is_one_error_with_the_new_value() -> None:
    [error] = validate_immutable({"a": "new"}, {"a": "old"}, "spec")
    assert (error.field, error.reason) == ("spec", "FieldValueInvalid")
    assert error.body.startswith("Invalid value: ")
    assert '"new"' in error.body
    assert error.body.endswith(": field is immutable")
