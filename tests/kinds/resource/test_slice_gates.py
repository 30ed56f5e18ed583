"""Fields of ResourceSlices are dropped while their feature gates are off."""

from typing import Any

import pytest

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.resource.gated_fields import RESOURCE_SLICE_FIELDS
from fakeapi.releases.rules import ReleaseRules
from tests.kinds.resource.builders import rules_with

TAINT = {"key": "k", "effect": "NoExecute"}
POLICY = {"memory": {"value": "1Gi", "requestPolicy": {"default": "1Gi"}}}


def spec(**parts: Any) -> dict[str, Any]:
    return {"driver": "gpu.example.com", "devices": [{"name": "gpu-0", **parts}]}


def enabled_spec(new: dict[str, Any], old: dict[str, Any] | None, rules: ReleaseRules) -> Any:
    """Drops the disabled fields from the spec of a ResourceSlice; returns the spec.

    `old`: the stored spec, whose used fields are kept; None for a create.
    """
    stored = None if old is None else {"spec": old}
    return drop_disabled_fields({"spec": new}, stored, RESOURCE_SLICE_FIELDS, rules)["spec"]


GATED = [
    ("1.34", "DRADeviceTaints", {"taints": [TAINT]}, {}),
    ("1.34", "DRADeviceBindingConditions", {"bindsToNode": True, "bindingConditions": ["a"]}, {}),
    ("1.34", "DRAConsumableCapacity", {"allowMultipleAllocations": False}, {}),
    ("1.34", "DRAConsumableCapacity", {"capacity": POLICY}, {"capacity": {"memory": {"value": "1Gi"}}}),
    ("1.36", "DRAListTypeAttributes", {"attributes": {"a": {"ints": [1]}}}, {"attributes": {"a": {}}}),
    ("1.36", "DRANodeAllocatableResources", {"nodeAllocatableResourceMappings": {"cpu": {}}}, {}),
    (
        "1.37",
        "DRADeviceCompatibilityGroups",
        {"consumesCounters": [{"counterSet": "a", "compatibilityGroups": ["x"]}]},
        {"consumesCounters": [{"counterSet": "a"}]},
    ),
    ("1.34", "DRAPartitionableDevices", {"consumesCounters": [], "allNodes": True}, {}),
]


@pytest.mark.parametrize(("release", "gate", "parts", "left"), GATED)
def test_fields_of_a_gate_that_is_off_are_dropped_unless_the_slice_has_used_them(
    release: str, gate: str, parts: dict[str, Any], left: dict[str, Any]
) -> None:
    off = rules_with(release, DRAPartitionableDevices=gate == "DRADeviceCompatibilityGroups")
    assert enabled_spec(spec(**parts), None, off) == spec(**left)
    assert enabled_spec(spec(**parts), spec(), off) == spec(**left)
    assert enabled_spec(spec(**parts), spec(**parts), off) == spec(**parts)


@pytest.mark.parametrize(("release", "gate", "parts", "left"), GATED)
def test_fields_of_a_gate_that_is_on_stay(
    release: str, gate: str, parts: dict[str, Any], left: dict[str, Any]
) -> None:
    on = rules_with(
        release, **{gate: True, "DRAResourceClaimDeviceStatus": True, "DRAPartitionableDevices": True}
    )
    assert enabled_spec(spec(**parts), None, on) == spec(**parts)


def test_binding_conditions_need_the_status_of_devices_too() -> None:
    dropped = rules_with("1.34", DRADeviceBindingConditions=True)
    assert enabled_spec(spec(bindsToNode=True), None, dropped) == spec()
