"""Validation of the resource handles in v1alpha2 allocations."""

from typing import Any

import pytest

from fakeapi.kinds.resource.legacy_v1alpha2.resource_handles import validate_allocation
from tests.kinds.resource.builders import RULES, Triple, places, triples

STRUCTURED: dict[str, Any] = {"nodeName": "node-1", "results": [{"namedResources": {"name": "gpu-0"}}]}


def found(*handles: dict[str, Any]) -> list[Triple]:
    return triples(validate_allocation({"resourceHandles": list(handles)}, "a", RULES["1.30"]))


def test_good_handles_have_no_errors() -> None:
    handles: list[dict[str, Any]] = [
        {"driverName": "gpu.example.com", "data": "x" * 16 * 1024},
        {"driverName": "gpu.example.com"},
        {"driverName": "gpu.example.com", "structuredData": STRUCTURED},
        {"driverName": "gpu.example.com", "structuredData": {"results": None}},
        *({"driverName": f"d{index}.example.com"} for index in range(28)),
    ]
    assert found(*handles) == []
    assert validate_allocation({"shareable": True}, "a", RULES["1.27"]) == []


def test_data_and_handles_have_limits() -> None:
    handle = {"driverName": "gpu.example.com", "data": "x" * (16 * 1024 + 1)}
    assert found(handle) == [
        ("a.resourceHandles[0].data", "TooLong", "Too long: may not be longer than 16384")
    ]
    assert found(*[{"driverName": "gpu.example.com"}] * 33) == [
        ("a.resourceHandles", "TooLong", "Too long: may not be longer than 32")
    ]


def test_a_handle_names_its_driver() -> None:
    errors = validate_allocation({"resourceHandles": [{"data": "x"}]}, "a", RULES["1.27"])
    assert places(errors) == ["a.resourceHandles[0].driverName"] * 2
    assert errors[0].body == "Required value"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"nodeName": "BAD NODE"}, "nodeName"),
        ({"results": [{"namedResources": {"name": "Bad_Name"}}]}, "results[0].namedResources.name"),
    ],
)
def test_structured_data_names_nodes_and_instances(fields: dict[str, Any], place: str) -> None:
    handle = {"driverName": "gpu.example.com", "structuredData": STRUCTURED | fields}
    errors = validate_allocation({"resourceHandles": [handle]}, "a", RULES["1.30"])
    assert places(errors) == [f"a.resourceHandles[0].structuredData.{place}"]


def test_a_structured_result_is_of_some_model() -> None:
    assert found({"driverName": "gpu.example.com", "structuredData": {"results": [{}]}}) == [
        (
            "a.resourceHandles[0].structuredData.results[0]",
            "Required",
            "Required value: exactly one structured model field must be set",
        )
    ]


def test_data_is_structured_or_not() -> None:
    assert found({"driverName": "gpu.example.com", "data": "x", "structuredData": STRUCTURED}) == [
        (
            "a.resourceHandles[0]",
            "Invalid",
            'Invalid value: "null": data and structuredData are mutually exclusive',
        )
    ]


def test_values_of_a_node_selector_are_free() -> None:
    expression = {"key": "zone", "operator": "In", "values": ["bad value!"]}
    selector = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    assert validate_allocation({"availableOnNodes": selector}, "a", RULES["1.30"]) == []
    assert places(
        validate_allocation({"availableOnNodes": {"nodeSelectorTerms": None}}, "a", RULES["1.30"])
    ) == ["a.availableOnNodes.nodeSelectorTerms"]
