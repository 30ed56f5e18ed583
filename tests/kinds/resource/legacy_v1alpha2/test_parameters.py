"""Validation of ResourceClaimParameters and ResourceClassParameters of resource.k8s.io/v1alpha2."""

from typing import Any

import pytest

from fakeapi.kinds.resource.legacy_v1alpha2.parameters import (
    ClaimParametersStrategy,
    ClassParametersStrategy,
)
from fakeapi.machinery.cel.compiler import Invalid
from tests.kinds.resource.builders import RULES, Triple, triples

MODEL = "Required value: exactly one structured model field must be set"
SELECTING = {"namedResources": {"selector": "true"}}


def of_claim(*drivers: dict[str, Any], **fields: Any) -> list[Triple]:
    strategy = ClaimParametersStrategy(RULES["1.30"])
    return triples(strategy.validate_create({"metadata": {}, "driverRequests": list(drivers), **fields}))


def of_class(**fields: Any) -> list[Triple]:
    return triples(ClassParametersStrategy(RULES["1.30"]).validate_create({"metadata": {}, **fields}))


def test_a_claim_s_parameters_hold_requests_by_driver() -> None:
    assert of_claim() == []
    assert (
        of_claim({"driverName": "a", "requests": [SELECTING]}, {"driverName": "b", "requests": [SELECTING]})
        == []
    )


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        (
            {"driverName": "a", "requests": [{}]},
            [("driverRequests[0].requests[0]", "Required", MODEL)],
        ),
        (
            {"driverName": "a", "requests": [{"namedResources": {"selector": ""}}]},
            [("driverRequests[0].requests[0].namedResources.selector", "Required", "Required value")],
        ),
        (
            {"driverName": "a"},
            [
                (
                    "driverRequests[0].requests",
                    "Required",
                    "Required value: empty entries with no requests are not allowed",
                )
            ],
        ),
    ],
)
def test_a_driver_has_requests_each_with_a_model(driver: dict[str, Any], expected: list[Triple]) -> None:
    assert of_claim(driver) == expected


def test_a_driver_stands_once() -> None:
    driver = {"driverName": "a", "requests": [SELECTING]}
    assert of_claim(driver, driver) == [("driverRequests[1].driverName", "Duplicate", 'Duplicate value: "a"')]


def test_selectors_are_asked_of_the_check_for_named_resources() -> None:
    strategy = ClaimParametersStrategy(RULES["1.30"], lambda _: Invalid("does not compile"))
    drivers = [{"driverName": "a", "requests": [SELECTING]}]
    assert triples(strategy.validate_create({"driverRequests": drivers})) == [
        (
            "driverRequests[0].requests[0].namedResources.selector",
            "Invalid",
            'Invalid value: "true": does not compile',
        )
    ]


def test_a_class_s_parameters_hold_filters_and_values_by_driver() -> None:
    filters = [{"driverName": "a", **SELECTING}, {"driverName": "b", **SELECTING}]
    vendors = [{"driverName": "a", "parameters": {"x": 1}}, {"driverName": "b"}]
    assert of_class(filters=filters, vendorParameters=vendors) == []


def test_a_class_s_parameters_are_looked_through_in_order() -> None:
    found = of_class(
        generatedFrom={"kind": "K", "name": "n", "namespace": "BAD"},
        filters=[{"driverName": "a"}],
        vendorParameters=[{"driverName": "a"}, {"driverName": "a"}],
    )
    assert [(field, reason) for field, reason, _ in found] == [
        ("generatedFrom.namespace", "Invalid"),
        ("filters[0]", "Required"),
        ("vendorParameters[1].driverName", "Duplicate"),
    ]


def test_everything_of_parameters_may_change() -> None:
    strategy = ClaimParametersStrategy(RULES["1.30"])
    new = {"driverRequests": [{"driverName": "a", "requests": [SELECTING]}]}
    assert strategy.validate_update(new, {"shareable": True}) == []
