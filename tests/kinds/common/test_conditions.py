"""Validation of lists of metav1.Condition, as in the status of many kinds."""

from typing import Any

import pytest

from fakeapi.kinds.common.conditions import validate_conditions
from tests.kinds.resource.builders import RULES, Triple, places, triples

GOOD = {
    "type": "Ready",
    "status": "True",
    "lastTransitionTime": "2024-01-01T00:00:00Z",
    "reason": "Up",
    "message": "",
}


def test_a_good_condition_has_no_errors() -> None:
    assert validate_conditions([GOOD, {**GOOD, "type": "example.com/Up"}], "c", RULES["1.33"]) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"status": "Perhaps"},
            (
                "c[0].status",
                "NotSupported",
                'Unsupported value: "Perhaps": supported values: "False", "True", "Unknown"',
            ),
        ),
        (
            {"observedGeneration": -1},
            (
                "c[0].observedGeneration",
                "Invalid",
                "Invalid value: -1: must be greater than or equal to zero",
            ),
        ),
        (
            {"lastTransitionTime": None},
            ("c[0].lastTransitionTime", "Required", "Required value: must be set"),
        ),
        ({"reason": ""}, ("c[0].reason", "Required", "Required value: must be set")),
        (
            {"reason": "a" * 1025},
            ("c[0].reason", "TooLong", "Too long: may not be more than 1024 bytes"),
        ),
        (
            {"message": "a" * (32 * 1024 + 1)},
            ("c[0].message", "TooLong", "Too long: may not be more than 32768 bytes"),
        ),
    ],
)
def test_what_is_wrong_with_a_condition_is_said(fields: dict[str, Any], expected: Triple) -> None:
    assert triples(validate_conditions([GOOD | fields], "c", RULES["1.33"])) == [expected]


def test_a_reason_is_a_word() -> None:
    [error] = validate_conditions([{**GOOD, "reason": "not one"}], "c", RULES["1.33"])
    assert error.body == (
        'Invalid value: "not one": a condition reason must start with alphabetic character, optionally '
        "followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric "
        "character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or "
        "'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"
    )


def test_a_type_comes_once_and_a_duplicate_is_reported_before_its_other_errors() -> None:
    again = {**GOOD, "reason": ""}
    assert places(validate_conditions([GOOD, again], "c", RULES["1.33"])) == ["c[1].type", "c[1].reason"]
