"""Validation of drivers' opaque parameters and data."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.opaque import validate_raw_extension
from tests.kinds.resource.builders import RULES, triples


@pytest.mark.parametrize("value", [{}, {"a": None}, {"a": [1, 2.5, True]}])
def test_any_object_will_do(value: dict[str, Any]) -> None:
    assert validate_raw_extension(value, "p", 100, RULES["1.33"]) == []


@pytest.mark.parametrize("value", ["text", [], 5, False])
def test_anything_else_will_not(value: Any) -> None:
    assert triples(validate_raw_extension(value, "p", 100, RULES["1.33"])) == [
        ("p", "Invalid", 'Invalid value: "<value omitted>": parameters must be a valid JSON object')
    ]


def test_nothing_is_a_missing_value() -> None:
    assert triples(validate_raw_extension(None, "p", 100, RULES["1.33"])) == [
        ("p", "Required", "Required value")
    ]


def test_the_limit_counts_compact_json_and_comes_before_the_shape() -> None:
    assert validate_raw_extension({"a": "xx"}, "p", 10, RULES["1.33"]) == []
    assert triples(validate_raw_extension("xxxxxxxxx", "p", 10, RULES["1.33"])) == [
        ("p", "TooLong", "Too long: may not be more than 10 bytes")
    ]
