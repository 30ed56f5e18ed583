"""Validation of the request policies of device capacities."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.request_policy import validate_capacity
from tests.kinds.resource.builders import RULES, Triple, triples


def found(policy: dict[str, Any] | None, release: str = "1.34", *, is_shared: bool = True) -> list[Triple]:
    capacity = {"value": "10Gi"} if policy is None else {"value": "10Gi", "requestPolicy": policy}
    return triples(validate_capacity(capacity, "c", RULES[release], is_shared=is_shared))


def ranged(default: str | None = "1Gi", **bounds: str) -> dict[str, Any]:
    return {"validRange": bounds} if default is None else {"default": default, "validRange": bounds}


@pytest.mark.parametrize(
    "policy",
    [
        None,
        {},
        {"default": "20Gi"},
        {"default": "1Gi", "validValues": ["1Gi", "2Gi"]},
        ranged(min="1Gi"),
        ranged(min="1Gi", max="8Gi", step="1Gi"),
        {"default": "1Gi", "validValues": [], "validRange": {"min": "1Gi"}},
    ],
)
def test_good_policies_have_no_errors(policy: dict[str, Any] | None) -> None:
    assert found(policy) == []


def test_a_capacity_that_is_not_shared_has_no_policy() -> None:
    assert found(None, is_shared=False) == []
    assert found({}, is_shared=False) == [
        ("c.requestPolicy", "Forbidden", "Forbidden: allowMultipleAllocations must be true")
    ]


@pytest.mark.parametrize(
    ("policy", "place", "message"),
    [
        ({"validValues": ["1Gi"]}, "default", "Required value: required when validValues is defined"),
        (ranged(None, min="1Gi"), "default", "Required value: required when validRange is defined"),
        (ranged(max="2Gi"), "validRange.min", "Required value: required when validRange is defined"),
        (
            {"default": "1Gi", "validValues": ["2Gi", "1Gi"]},
            "validValues[1]",
            'Invalid value: "1Gi": values must be sorted in ascending order',
        ),
        (
            {"default": "1Gi", "validValues": ["1Gi", "20Gi"]},
            "validValues[1]",
            'Invalid value: "20Gi": option is larger than capacity value: 10Gi',
        ),
        (
            {"default": "1Gi", "validValues": ["1Gi", "1Gi"]},
            "validValues[1]",
            'Duplicate value: "1073741824"',
        ),
        (
            {"default": "3Gi", "validValues": ["1Gi"]},
            "validValues",
            'Invalid value: "3Gi": default value is not valid according to the requestPolicy',
        ),
        (ranged(min="2Gi"), "validRange.min", 'Invalid value: "1Gi": default is less than min: 2Gi'),
        (
            ranged("20Gi", min="20Gi"),
            "validRange.min",
            'Invalid value: "20Gi": min is larger than capacity value: 10Gi',
        ),
        (
            ranged("9Gi", min="1Gi", max="8Gi"),
            "validRange.max",
            'Invalid value: "9Gi": default is more than max: 8Gi',
        ),
        (
            ranged(min="1Gi", max="20Gi"),
            "validRange.max",
            'Invalid value: "20Gi": max is larger than capacity value: 10Gi',
        ),
        (
            ranged("1536Mi", min="1Gi", step="1Gi"),
            "validRange.step",
            'Invalid value: "1536Mi": value is not a multiple of a given step (1Gi) from (1Gi)',
        ),
        (
            ranged(min="1Gi", step="20Gi"),
            "validRange.step",
            'Invalid value: "20Gi": one step 21Gi is larger than capacity value: 10Gi',
        ),
        (ranged(min="1Gi", step="0"), "validRange.step", 'Invalid value: "0": must be greater than zero'),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(policy: dict[str, Any], place: str, message: str) -> None:
    assert [(field, text) for field, _, text in found(policy)] == [(f"c.requestPolicy.{place}", message)]


def test_a_policy_has_values_or_a_range() -> None:
    both = {**ranged(min="1Gi"), "validValues": ["1Gi"]}
    assert [field for field, _, _ in found(both)] == ["c.requestPolicy"]


def test_from_1_35_on_the_default_is_not_found_among_too_many_values() -> None:
    many = {"default": "1", "validValues": [str(number) for number in range(1, 12)]}
    assert [reason for _, reason, _ in found(many)] == ["TooMany"]
    assert [reason for _, reason, _ in found(many, "1.35")] == ["TooMany", "Invalid"]
