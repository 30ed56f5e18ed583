"""Validation of devices that provide node-allocatable resources, such as CPU and memory."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.node_allocatable import (
    default_mappings,
    validate_mappings,
    validate_resources,
)
from tests.kinds.resource.builders import RULES, places, triples

MAPPINGS = "nodeAllocatableResourceMappings"


def device(mapping: dict[str, Any], name: str = "cpu") -> dict[str, Any]:
    return {"capacity": {"cores": {"value": "8"}}, MAPPINGS: {name: mapping}}


@pytest.mark.parametrize("mapping", [{"capacityKey": "cores"}, {"allocationMultiplier": "500m"}])
def test_a_mapping_has_a_capacity_or_a_multiplier(mapping: dict[str, Any]) -> None:
    assert validate_mappings(device(mapping), "d", RULES["1.36"]) == []


@pytest.mark.parametrize(
    ("mapping", "place", "message"),
    [
        ({}, "", 'Invalid value: "": at least one of allocationMultiplier or capacityKey must be set'),
        ({"allocationMultiplier": "0"}, ".allocationMultiplier", 'Invalid value: "0": must be positive'),
        ({"capacityKey": "none"}, ".capacityKey", 'Not found: "none"'),
        (
            {"capacityKey": ""},
            ".capacityKey",
            'Invalid value: "": capacityKey must not be an empty string',
        ),
    ],
)
def test_what_is_wrong_with_a_mapping_is_said(mapping: dict[str, Any], place: str, message: str) -> None:
    [(field, _, text)] = triples(validate_mappings(device(mapping), "d", RULES["1.36"]))
    assert (field, text) == (f"d.{MAPPINGS}[cpu]{place}", message)


def test_only_resources_of_kubernetes_are_mapped_to() -> None:
    [(field, _, text)] = triples(
        validate_mappings(device({"capacityKey": "cores"}, "example.com/gpu"), "d", RULES["1.36"])
    )
    assert field == f"d.{MAPPINGS}[example.com/gpu]"
    assert text == 'Invalid value: "example.com/gpu": must be a node allocatable resource name'


def test_the_multiplier_is_one_unless_it_is_said() -> None:
    mapped = device({"capacityKey": "cores"})
    default_mappings(mapped)
    assert mapped[MAPPINGS] == {"cpu": {"capacityKey": "cores", "allocationMultiplier": "1"}}


@pytest.mark.parametrize(
    ("name", "resource", "expected"),
    [
        ("cpu", {"mapping": {"capacityKey": "cores", "capacityMultiplier": "2"}}, []),
        ("hugepages-2Mi", {"overhead": {"perPod": "0"}}, []),
        ("memory", {}, [""]),
        ("example.com/gpu", {"overhead": {"perPod": "1"}}, [""]),
        (
            "cpu",
            {"mapping": {"capacityKey": "none"}},
            [".mapping.capacityKey", ".mapping.capacityMultiplier"],
        ),
        ("cpu", {"mapping": {"capacityMultiplier": "1"}}, [".mapping.capacityKey"]),
        ("cpu", {"mapping": {"deviceMultiplier": "0"}}, [".mapping.deviceMultiplier"]),
        ("cpu", {"overhead": {}}, [".overhead"]),
        ("cpu", {"overhead": {"perContainer": "-1"}}, [".overhead.perContainer"]),
    ],
)
def test_from_1_37_on_a_resource_has_a_mapping_or_an_overhead(
    name: str, resource: dict[str, Any], expected: list[str]
) -> None:
    each = {"capacity": {"cores": {"value": "8"}}, "nodeAllocatableResources": {name: resource}}
    found = [f"d.nodeAllocatableResources[{name}]{place}" for place in expected]
    assert places(validate_resources(each, "d", RULES["1.37"])) == found
