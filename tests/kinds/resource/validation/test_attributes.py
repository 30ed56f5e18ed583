"""Validation of device attributes with lists of values, which exist since 1.36.

test_slice_devices tests attributes with one value.
"""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.attributes import (
    number_of_values,
    validate_attribute,
)
from tests.kinds.resource.builders import RULES, Triple, triples

TWO = (
    '{"IntValue":1,"BoolValue":null,"StringValue":null,"VersionValue":null,'
    '"IntValues":null,"BoolValues":null,"StringValues":["a"],"VersionValues":null}'
)


@pytest.mark.parametrize(
    "attribute", [{"ints": [1, 2]}, {"bools": [True]}, {"strings": ["", "x" * 64]}, {"versions": ["1.2.3"]}]
)
def test_a_list_has_values_of_one_type(attribute: dict[str, Any]) -> None:
    assert validate_attribute(attribute, "a", RULES["1.36"]) == []


@pytest.mark.parametrize(
    ("attribute", "expected"),
    [
        ({"ints": []}, [("a.ints", "Invalid", "Invalid value: []: must not be empty if specified")]),
        (
            {"strings": ["a", "x" * 65]},
            [("a.strings[1]", "TooLong", "Too long: may not be more than 64 bytes")],
        ),
        (
            {"versions": ["1.2"]},
            [
                (
                    "a.versions[0]",
                    "Invalid",
                    'Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0',
                )
            ],
        ),
        ({}, [("a", "Invalid", 'Invalid value: "": exactly one value must be specified')]),
        (
            {"int": 1, "strings": ["a"]},
            [
                (
                    "a",
                    "Invalid",
                    f"Invalid value: {TWO}: exactly one value must be specified",
                )
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_list_is_said(attribute: dict[str, Any], expected: list[Triple]) -> None:
    assert triples(validate_attribute(attribute, "a", RULES["1.36"])) == expected


def test_values_are_counted_one_by_one() -> None:
    attributes = {"one": {"int": 1}, "three": {"strings": ["a", "b", "c"]}, "none": {}}
    assert number_of_values({"attributes": attributes}) == 5
    assert number_of_values({}) == 0
