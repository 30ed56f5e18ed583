"""Fields of a claim's status are dropped while their feature gates are off."""

from typing import Any

import pytest

from fakeapi.kinds.common.gated_fields import drop_disabled_fields
from fakeapi.kinds.resource.gated_fields import CLAIM_STATUS_FIELDS
from fakeapi.releases.rules import ReleaseRules
from tests.kinds.resource.builders import allocated, result, rules_with, v1alpha3_claim

TIME = "2025-01-01T00:00:00Z"
SHARED = {"shareID": "8e2a3c9c-7b0f-4c36-9d7e-0c1d2e3f4001", "consumedCapacity": {"memory": "1Gi"}}
BINDING = {"bindingConditions": ["a"], "bindingFailureConditions": ["b"]}


def enabled_status(status: dict[str, Any], old: dict[str, Any], rules: ReleaseRules) -> Any:
    """Drops the disabled fields from the new status of a claim; returns the status.

    `old`: the stored claim; fields that it uses are kept.
    """
    return drop_disabled_fields({**old, "status": status}, old, CLAIM_STATUS_FIELDS, rules)["status"]


def timed(**fields: Any) -> dict[str, Any]:
    """Returns a claim's status with an allocation timestamp and one result, which has these fields."""
    status = allocated(results=[result(**fields)])
    status["allocation"]["allocationTimestamp"] = TIME
    return status


@pytest.mark.parametrize("release", ["1.34", "1.35"])
def test_shares_go_with_their_gate_unless_the_claim_has_used_it(release: str) -> None:
    devices = {"DRAResourceClaimDeviceStatus": True}
    off = rules_with(release, **devices)
    new = allocated(results=[result(**SHARED)], devices=[{"device": "gpu-0", "shareID": "x"}])
    plain = allocated(devices=[{"device": "gpu-0"}])
    assert enabled_status(new, v1alpha3_claim(), off) == plain
    assert enabled_status(new, v1alpha3_claim(new), off) == new
    wanted = v1alpha3_claim()
    wanted["spec"]["devices"]["constraints"] = [{"distinctAttribute": "a.example/x"}]
    assert enabled_status(new, wanted, off) == new
    on = rules_with(release, DRAConsumableCapacity=True, **devices)
    assert enabled_status(new, v1alpha3_claim(), on) == new


def test_the_status_of_devices_goes_with_its_gate_unless_the_claim_has_one() -> None:
    new = allocated(devices=[{"device": "gpu-0"}])
    off = rules_with("1.34")
    assert enabled_status(new, v1alpha3_claim(), off) == allocated()
    assert enabled_status(new, v1alpha3_claim(new), off) == new


def test_in_1_34_the_time_of_an_allocation_goes_with_binding_conditions_which_need_device_status() -> None:
    both = {"DRADeviceBindingConditions": True, "DRAResourceClaimDeviceStatus": True}
    for on in ({}, {"DRADeviceBindingConditions": True}):
        assert enabled_status(timed(**BINDING), v1alpha3_claim(), rules_with("1.34", **on)) == allocated()
    assert enabled_status(timed(**BINDING), v1alpha3_claim(), rules_with("1.34", **both)) == timed(**BINDING)
    assert enabled_status(timed(), v1alpha3_claim(timed()), rules_with("1.34")) == timed()


def test_from_1_35_on_the_time_stays_and_their_own_gate_is_enough() -> None:
    assert enabled_status(timed(**BINDING), v1alpha3_claim(), rules_with("1.35")) == timed()
    on = rules_with("1.35", DRADeviceBindingConditions=True)
    assert enabled_status(timed(**BINDING), v1alpha3_claim(), on) == timed(**BINDING)


def test_nothing_is_changed_in_place() -> None:
    new = timed(**SHARED, **BINDING)
    enabled_status(new, v1alpha3_claim(), rules_with("1.34"))
    assert new == timed(**SHARED, **BINDING)
