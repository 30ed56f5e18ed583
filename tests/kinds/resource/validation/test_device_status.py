"""Validation of the field `status.devices` of claims, which drivers write."""

from typing import Any

import pytest

from fakeapi.kinds.resource.validation.device_status import (
    allocated_devices,
    validate_device_statuses,
    without_deallocated,
)
from fakeapi.kinds.resource.validation.identifiers import DeviceId
from tests.kinds.resource.builders import DEVICE, RULES, Triple, allocated, result, triples

ALLOCATED = frozenset({DeviceId("gpu.example.com", "pool-1", "gpu-0")})


def device(**fields: Any) -> dict[str, Any]:
    return {**DEVICE, "conditions": None} | fields


def found(release: str, *devices: dict[str, Any]) -> list[Triple]:
    return triples(validate_device_statuses(list(devices), ALLOCATED, "s", RULES[release]))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"data": None},
        {"data": {"kind": "State"}},
        {"networkData": {}},
        {"networkData": {"interfaceName": "x" * 256, "ips": ["10.9.8.0/24"], "hardwareAddress": "x" * 128}},
    ],
)
def test_good_statuses_have_no_errors(fields: dict[str, Any]) -> None:
    assert found("1.32", device(**fields)) == found("1.33", device(**fields)) == []


def test_a_device_is_one_of_the_claims() -> None:
    assert found("1.33", device(device="gpu-9")) == [
        (
            "s[0]",
            "Invalid",
            "Invalid value: gpu.example.com/pool-1/gpu-9: must be an allocated device in the claim",
        )
    ]


def test_a_device_is_reported_once() -> None:
    assert found("1.33", device(), device()) == [
        ("s[1].deviceID", "Duplicate", "Duplicate value: gpu.example.com/pool-1/gpu-0")
    ]


def test_a_device_is_named_in_full() -> None:
    errors = found("1.33", device(driver="", pool="", device=""))
    assert [error[0] for error in errors] == [
        "s[0].driver",
        "s[0].driver",
        "s[0].pool",
        "s[0].device",
        "s[0]",
    ]
    assert errors[-1][2] == "Invalid value: //: must be an allocated device in the claim"


def test_a_device_has_at_most_eight_conditions() -> None:
    condition = {
        "status": "True",
        "lastTransitionTime": "2024-01-01T00:00:00Z",
        "reason": "Up",
        "message": "",
    }
    conditions = [{**condition, "type": f"T{index}"} for index in range(9)]
    assert found("1.33", device(conditions=conditions)) == [
        ("s[0].conditions", "TooMany", "Too many: 9: must have at most 8 items")
    ]


def test_data_is_an_object_of_at_most_10_kib() -> None:
    assert found("1.33", device(data={"a": "x" * 10 * 1024})) == [
        ("s[0].data", "TooLong", "Too long: may not be more than 10240 bytes")
    ]
    assert found("1.33", device(data="text")) == [
        ("s[0].data", "Invalid", 'Invalid value: "<value omitted>": parameters must be a valid JSON object')
    ]


def test_network_data_has_limits() -> None:
    data = {
        "interfaceName": "x" * 257,
        "ips": [f"10.9.8.{index}/24" for index in range(17)],
        "hardwareAddress": "x" * 129,
    }
    assert found("1.33", device(networkData=data)) == [
        ("s[0].networkData.interfaceName", "TooLong", "Too long: may not be more than 256 bytes"),
        ("s[0].networkData.hardwareAddress", "TooLong", "Too long: may not be more than 128 bytes"),
        ("s[0].networkData.ips", "TooMany", "Too many: 17: must have at most 16 items"),
    ]


def test_1_32_compares_addresses_and_1_33_texts() -> None:
    same = device(networkData={"ips": ["2001:db8::1/64", "2001:0db8::1/64"]})
    assert found("1.32", same) == [
        ("s[0].networkData.ips[1]", "Duplicate", 'Duplicate value: "2001:db8::1/64"')
    ]
    assert [error[1] for error in found("1.33", same)] == ["Invalid"]


def test_two_addresses_that_are_none_are_the_same_to_1_32() -> None:
    errors = found("1.32", device(networkData={"ips": ["a", "b"]}))
    assert errors[-1] == ("s[0].networkData.ips[1]", "Duplicate", 'Duplicate value: ""')
    assert [error[1] for error in errors] == ["Invalid", "Invalid", "Duplicate"]


def test_a_claim_without_an_allocation_has_no_devices() -> None:
    assert allocated_devices({}) == frozenset()
    assert allocated_devices({"allocation": {"devices": {}}}) == frozenset()
    assert allocated_devices(allocated()) == ALLOCATED


def test_a_status_goes_with_the_device_that_was_taken_back() -> None:
    old = allocated(results=[result(), result(device="gpu-1")])
    new = allocated(results=[result(device="gpu-1")])
    reported = [device(), device(device="gpu-1"), device(device="never-allocated")]
    assert without_deallocated(reported, new, old) == reported[1:]
    assert without_deallocated(reported, old, new) == reported
    assert without_deallocated(reported, {}, old) == reported[2:]
