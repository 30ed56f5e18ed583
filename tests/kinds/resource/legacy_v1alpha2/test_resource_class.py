"""Validation of ResourceClass of resource.k8s.io/v1alpha2."""

from typing import Any

import pytest

from fakeapi.kinds.resource.legacy_v1alpha2.resource_class import ResourceClassStrategy
from tests.kinds.resource.builders import RULES, places

STRATEGY = ResourceClassStrategy(RULES["1.30"])


def resource_class(**fields: Any) -> dict[str, Any]:
    return {"metadata": {"name": "class-a"}, "driverName": "gpu.example.com"} | fields


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"parametersRef": {"kind": "P", "name": "p", "namespace": "default"}},
        {
            "suitableNodes": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]
            }
        },
        {"structuredParameters": True},
    ],
)
def test_a_class_names_its_driver_and_may_name_parameters_and_nodes(fields: dict[str, Any]) -> None:
    assert STRATEGY.validate_create(resource_class(**fields)) == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"driverName": ""}, ["driverName", "driverName"]),
        ({"driverName": "BAD_NAME"}, ["driverName"]),
        ({"parametersRef": {"kind": "", "name": "p"}}, ["parametersRef.kind"]),
        ({"suitableNodes": {"nodeSelectorTerms": []}}, ["suitableNodes.nodeSelectorTerms"]),
    ],
)
def test_what_is_wrong_is_said_once_of_a_new_class_and_twice_of_an_update(
    fields: dict[str, Any], expected: list[str]
) -> None:
    assert places(STRATEGY.validate_create(resource_class(**fields))) == expected
    update = STRATEGY.validate_update(resource_class(**fields), resource_class())
    assert places(update) == [*expected, *expected]


def test_everything_of_a_class_may_change() -> None:
    assert STRATEGY.validate_update(resource_class(driverName="other"), resource_class()) == []
