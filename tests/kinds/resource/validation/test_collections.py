"""Validation of lists with a maximum length, and of lists that are sets."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from fakeapi.kinds.resource.validation.collections import validate_items, validate_set
from fakeapi.machinery.field_errors import FieldError, required
from tests.kinds.resource.builders import RULES, places, triples


def nothing_wrong(_item: Any, _path: str) -> list[FieldError]:
    return []


def all_wrong(_item: Any, path: str) -> list[FieldError]:
    return [required(path)]


def test_errors_of_items_come_before_the_error_of_their_number() -> None:
    errors = validate_items(["a", "b"], "list", 1, all_wrong, RULES["1.33"])
    assert triples(errors) == [
        ("list[0]", "Required", "Required value"),
        ("list[1]", "Required", "Required value"),
        ("list", "TooMany", "Too many: 2: must have at most 1 items"),
    ]


def test_a_list_past_its_limit_is_too_long_up_to_1_31() -> None:
    errors = validate_items(["a", "b"], "list", 1, nothing_wrong, RULES["1.31"])
    assert triples(errors) == [("list", "TooLong", "Too long: may not be longer than 1")]


def test_a_list_at_its_limit_is_fine() -> None:
    assert validate_items(["a"] * 32, "list", 32, nothing_wrong, RULES["1.33"]) == []


def test_no_list_has_no_errors() -> None:
    assert validate_set(None, "list", 0, all_wrong, RULES["1.33"]) == []


def test_duplicates_are_reported_last_at_their_key() -> None:
    items = [{"name": "a"}, {"name": "a"}]
    errors = validate_set(
        items, "list", 1, all_wrong, RULES["1.33"], key=lambda item: item["name"], key_field="name"
    )
    assert places(errors) == ["list[0]", "list[1]", "list", "list[1].name"]
    assert errors[-1].body == 'Duplicate value: "a"'


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from("abc"), max_size=8))
def test_there_is_one_duplicate_for_each_item_beyond_the_distinct_ones(items: list[str]) -> None:
    errors = validate_set(items, "list", None, nothing_wrong, RULES["1.33"])
    assert len(errors) == len(items) - len(set(items))
