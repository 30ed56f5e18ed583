"""Validation of tolerations of device taints."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.tolerations import (
    validate_tolerations,
)
from tests.kinds.resource.builders import RULES, Triple, places, triples


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "gpu.example.com/x", "operator": "Exists", "effect": "NoSchedule"},
        {"operator": "Equal", "value": "v", "effect": "NoExecute", "tolerationSeconds": 5},
        {"operator": "Exists"},
    ],
)
def test_good_tolerations_have_no_errors(toleration: dict[str, Any]) -> None:
    assert validate_tolerations([toleration], "t", RULES["1.33"]) == []


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        ({}, [("t[0].operator", "Required", "Required value")]),
        (
            {"operator": "Near", "effect": "Maybe"},
            [
                (
                    "t[0].operator",
                    "NotSupported",
                    'Unsupported value: "Near": supported values: "Equal", "Exists"',
                ),
                (
                    "t[0].effect",
                    "NotSupported",
                    'Unsupported value: "Maybe": supported values: "NoExecute", "NoSchedule"',
                ),
            ],
        ),
        (
            {"operator": "Exists", "value": "v"},
            [("t[0].value", "Invalid", 'Invalid value: "v": must be empty for operator `Exists`')],
        ),
    ],
)
def test_what_is_wrong_with_a_toleration_is_said(toleration: dict[str, Any], expected: list[Triple]) -> None:
    assert triples(validate_tolerations([toleration], "t", RULES["1.33"])) == expected


def test_a_key_is_a_qualified_name_and_a_value_that_of_a_label() -> None:
    bad = {"key": "bad key!", "operator": "Equal", "value": "bad value!"}
    assert places(validate_tolerations([bad], "t", RULES["1.33"])) == ["t[0].key", "t[0].value"]
