"""Validation of the field `status.allocation` of a v1alpha3 claim."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.allocation import validate_allocation
from fakeapi.kinds.resource.validation.cel_selectors import accept_any_cel
from fakeapi.kinds.resource.validation.claim_devices import Checks
from fakeapi.kinds.resource.validation.identifiers import RequestNames
from tests.kinds.resource.builders import RULES, Triple, places, result, triples

KNOWN: RequestNames = {"gpu": frozenset()}
OPAQUE = {"driver": "gpu.example.com", "parameters": {"kind": "X"}}


def found(release: str, devices: dict[str, Any], **fields: Any) -> list[Triple]:
    checks = Checks(RULES[release], accept_any_cel)
    return triples(validate_allocation({"devices": devices, **fields}, "a", KNOWN, checks))


@pytest.mark.parametrize("release", ["1.31", "1.32", "1.33"])
def test_good_results_have_no_errors(release: str) -> None:
    results = [result(device=f"gpu-{index}", pool="a/b/c") for index in range(32)]
    config = [{"source": "FromClass", "requests": ["gpu"], "opaque": OPAQUE}]
    config += [{"source": "FromClaim", "opaque": OPAQUE}] * 63
    assert found(release, {"results": results, "config": config}) == []
    assert found(release, {}) == []


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"driver": "BAD_NAME"}, "driver"),
        ({"pool": "Bad Pool"}, "pool"),
        ({"device": "Bad_Device"}, "device"),
        ({"request": "unknown"}, "request"),
    ],
)
def test_a_result_names_a_request_and_a_device(fields: dict[str, Any], place: str) -> None:
    assert [error[0] for error in found("1.33", {"results": [result(**fields)]})] == [
        f"a.devices.results[0].{place}"
    ]


def test_results_and_configuration_have_limits() -> None:
    devices = {"results": [result()] * 33, "config": [{"source": "FromClaim", "opaque": OPAQUE}] * 65}
    assert found("1.33", devices) == [
        ("a.devices.results", "TooMany", "Too many: 33: must have at most 32 items"),
        ("a.devices.config", "TooMany", "Too many: 65: must have at most 64 items"),
    ]


def test_configuration_says_where_it_is_from() -> None:
    config = [{"source": "", "opaque": OPAQUE}, {"source": "Elsewhere", "opaque": OPAQUE}]
    assert found("1.31", {"config": config}) == [
        ("a.devices.config[0].source", "Required", "Required value"),
        (
            "a.devices.config[1].source",
            "NotSupported",
            'Unsupported value: "Elsewhere": supported values: "FromClaim", "FromClass"',
        ),
    ]


def test_configuration_is_for_known_requests_and_opaque() -> None:
    config = [{"source": "FromClaim", "requests": ["unknown"]}]
    errors = found("1.33", {"config": config})
    assert [error[:2] for error in errors] == [
        ("a.devices.config[0].requests[0]", "Invalid"),
        ("a.devices.config[0].opaque", "Required"),
    ]


def test_a_controller_is_named_like_a_driver() -> None:
    checks = Checks(RULES["1.31"], accept_any_cel)
    allocation = {"devices": {}, "controller": "BAD_NAME"}
    assert places(validate_allocation(allocation, "a", KNOWN, checks)) == ["a.controller"]


@pytest.mark.parametrize(("release", "expected"), [("1.31", []), ("1.32", ["values[0]"])])
def test_from_1_32_values_of_a_node_selector_are_those_of_labels(release: str, expected: list[str]) -> None:
    expression = {"key": "zone", "operator": "In", "values": ["bad value!"]}
    selector = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    errors = found(release, {}, nodeSelector=selector)
    prefix = "a.nodeSelector.nodeSelectorTerms[0].matchExpressions[0]"
    assert [error[0] for error in errors] == [f"{prefix}.{place}" for place in expected]
