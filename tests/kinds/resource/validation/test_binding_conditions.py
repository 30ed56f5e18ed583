"""Validation of the binding conditions of devices and allocation results."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.binding_conditions import validate_binding_conditions
from tests.kinds.resource.builders import RULES, Triple, places, triples

FIVE = [f"c{number}" for number in range(5)]
TOO_MANY = ("d.bindingConditions", "TooMany", "Too many: 5: must have at most 4 items")


def conditions(wanted: list[str] | None, unwanted: list[str] | None) -> dict[str, Any]:
    lists = {"bindingConditions": wanted, "bindingFailureConditions": unwanted}
    return {name: value for name, value in lists.items() if value is not None}


@pytest.mark.parametrize(
    "holder", [{}, conditions([], []), conditions(["a"], ["b"]), conditions(FIVE[:4], ["example.com/b"])]
)
def test_conditions_that_are_missing_or_both_there_are_good(holder: dict[str, Any]) -> None:
    assert validate_binding_conditions(holder, "d", RULES["1.34"]) == []


@pytest.mark.parametrize(
    ("holder", "expected"),
    [
        (
            conditions(["a", "a"], ["b"]),
            [("d.bindingConditions[1]", "Duplicate", 'Duplicate value: "a"')],
        ),
        (
            conditions(["a"], ["a"]),
            [
                (
                    "d.bindingFailureConditions[0]",
                    "Invalid",
                    'Invalid value: "a": bindingFailureConditions must not overlap with bindingConditions',
                )
            ],
        ),
        (
            conditions(None, ["a"]),
            [
                (
                    "d.bindingConditions",
                    "Invalid",
                    "Invalid value: null: bindingConditions are required to use bindingFailureConditions",
                )
            ],
        ),
        (
            conditions(["a"], []),
            [
                (
                    "d.bindingFailureConditions",
                    "Invalid",
                    "Invalid value: []: bindingFailureConditions are required to use bindingConditions",
                )
            ],
        ),
        (conditions(FIVE, ["x"]), [TOO_MANY]),
    ],
)
def test_what_is_wrong_with_conditions_is_said(holder: dict[str, Any], expected: list[Triple]) -> None:
    assert triples(validate_binding_conditions(holder, "d", RULES["1.34"])) == expected


def test_names_are_qualified_and_from_1_35_on_not_looked_at_in_a_list_that_is_too_long() -> None:
    many = conditions(["bad name!", *FIVE], ["x"])
    before, since = (validate_binding_conditions(many, "d", RULES[name]) for name in ("1.34", "1.35"))
    assert places(before) == ["d.bindingConditions[0]", "d.bindingConditions"]
    assert places(since) == ["d.bindingConditions"]
