"""ResourceClaim since v1alpha3: defaults, validation, gated fields and status."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakeapi.kinds.resource.claim import ClaimStatusStrategy, ClaimStrategy
from fakeapi.kinds.resource.conversion.requests import CLAIM_CONVERSIONS
from fakeapi.kinds.resource.layout import Layout
from fakeapi.machinery.cel.compiler import Invalid
from tests.kinds.resource.builders import (
    DEVICE,
    Triple,
    allocated,
    claim,
    consumer,
    defaulted,
    devices,
    nested_request,
    places,
    request,
    result,
    rules_with,
    subrequest,
    triples,
    v1alpha3_claim,
)

ONE_ATTRIBUTE = (
    'Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields '
    "are set"
)
RELEASES = ["1.31", "1.32", "1.33"]
REPORTED = {**DEVICE, "conditions": None}


def main(release: str, *, layout: Layout = Layout.FLAT, **gates: bool) -> ClaimStrategy:
    return ClaimStrategy(rules_with(release, **gates), lambda _: {}, layout=layout)


def status(release: str, **gates: bool) -> ClaimStatusStrategy:
    return ClaimStatusStrategy(rules_with(release, **gates), lambda _: {})


def in_hub(claim: dict[str, Any]) -> dict[str, Any]:
    """Converts a claim of v1alpha3 or v1beta1 to the internal version."""
    return CLAIM_CONVERSIONS["v1beta1"].to_hub(claim)


def found(
    release: str, new: dict[str, Any], old: dict[str, Any] | None = None, **metadata: Any
) -> list[Triple]:
    return triples(status(release).validate_update(v1alpha3_claim(new, **metadata), v1alpha3_claim(old)))


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ({}, {"allocationMode": "ExactCount", "count": 1}),
        ({"count": 3}, {"allocationMode": "ExactCount", "count": 3}),
        ({"allocationMode": "ExactCount"}, {"allocationMode": "ExactCount", "count": 1}),
        ({"allocationMode": "All"}, {"allocationMode": "All"}),
        ({"allocationMode": "Some"}, {"allocationMode": "Some"}),
    ],
)
def test_a_request_is_for_one_device_unless_it_says_otherwise(
    release: str, sent: dict[str, Any], stored: dict[str, Any]
) -> None:
    body = claim({"devices": devices({"name": "gpu", "deviceClassName": "a", **sent})})
    once = defaulted(release, body, layout=Layout.NESTED)
    assert once["spec"]["devices"]["requests"] == [{"name": "gpu", "deviceClassName": "a", **stored}]
    assert defaulted(release, copy.deepcopy(once), layout=Layout.NESTED) == once


def test_defaults_stand_where_the_type_has_them() -> None:
    sent = {"name": "gpu", "deviceClassName": "a", "selectors": [{"cel": {"expression": "true"}}]}
    body = claim({"devices": devices({**sent, "adminAccess": True})})
    [stored] = defaulted("1.32", body, layout=Layout.NESTED)["spec"]["devices"]["requests"]
    assert list(stored) == ["name", "deviceClassName", "selectors", "allocationMode", "count", "adminAccess"]


def test_in_1_33_a_request_without_a_class_has_no_mode_but_its_subrequests_have() -> None:
    choice = {
        "name": "any",
        "deviceClassName": "",
        "firstAvailable": [{"name": "big", "deviceClassName": "b", "tolerations": [{"key": "k"}]}],
        "tolerations": [{"key": "k"}],
    }
    body = claim({"devices": devices(copy.deepcopy(choice))})
    [stored] = defaulted("1.33", body, layout=Layout.NESTED)["spec"]["devices"]["requests"]
    assert stored == {
        "name": "any",
        "deviceClassName": "",
        "firstAvailable": [
            {
                "name": "big",
                "deviceClassName": "b",
                "allocationMode": "ExactCount",
                "count": 1,
                "tolerations": [{"key": "k", "operator": "Equal"}],
            }
        ],
        "tolerations": [{"key": "k", "operator": "Equal"}],
    }


def test_in_the_flat_layout_an_exact_request_has_defaults_with_and_without_a_class() -> None:
    sent = {
        "name": "gpu",
        "exactly": {"deviceClassName": "", "tolerations": [{"key": "k"}]},
        "firstAvailable": [{"name": "big", "deviceClassName": "b"}],
    }
    choice = {
        "name": "any",
        "firstAvailable": [{"name": "all", "deviceClassName": "b", "allocationMode": "All"}],
    }
    body = claim({"devices": devices(sent, copy.deepcopy(choice))})
    once = defaulted("1.33", body)
    assert once["spec"]["devices"]["requests"] == [
        {
            "name": "gpu",
            "exactly": {
                "deviceClassName": "",
                "allocationMode": "ExactCount",
                "count": 1,
                "tolerations": [{"key": "k", "operator": "Equal"}],
            },
            "firstAvailable": [
                {"name": "big", "deviceClassName": "b", "allocationMode": "ExactCount", "count": 1}
            ],
        },
        choice,
    ]
    assert defaulted("1.33", copy.deepcopy(once)) == once


def test_tolerations_of_results_have_defaults_too() -> None:
    body = v1alpha3_claim(allocated(results=[result(tolerations=[{"key": "k"}])]))
    stored = defaulted("1.33", body)["status"]["allocation"]["devices"]["results"][0]
    assert stored["tolerations"] == [{"key": "k", "operator": "Equal"}]


@pytest.mark.parametrize("release", RELEASES)
def test_a_claim_may_ask_for_nothing(release: str) -> None:
    strategy = main(release)
    empty = strategy.prepare_create(defaulted(release, claim({"devices": devices()})))
    assert empty == claim({"devices": {"requests": None}})
    assert strategy.validate_create(empty) == []


@pytest.mark.parametrize("release", RELEASES)
def test_a_created_claim_has_no_status_yet(release: str) -> None:
    assert main(release).prepare_create(v1alpha3_claim(allocated(1))) == v1alpha3_claim()


@pytest.mark.parametrize(
    ("release", "gate", "fields"),
    [
        ("1.32", "DRAAdminAccess", {"adminAccess": True}),
        ("1.33", "DRAAdminAccess", {"adminAccess": False}),
        ("1.33", "DRAPrioritizedList", {"firstAvailable": [subrequest("big")]}),
    ],
)
def test_a_field_of_a_request_goes_unless_its_gate_is_on_or_the_claim_has_it(
    release: str, gate: str, fields: dict[str, Any]
) -> None:
    with_it, without = v1alpha3_claim(None, request(**fields)), v1alpha3_claim()
    on: dict[str, Any] = {gate: True}
    assert main(release).prepare_create(copy.deepcopy(with_it)) == without
    assert main(release, **on).prepare_create(copy.deepcopy(with_it)) == with_it
    assert main(release).prepare_update(copy.deepcopy(with_it), without) == without
    assert main(release).prepare_update(copy.deepcopy(with_it), with_it) == with_it


def test_in_1_31_admin_access_has_no_gate() -> None:
    asked = v1alpha3_claim(None, request(adminAccess=True))
    assert main("1.31").prepare_create(copy.deepcopy(asked)) == asked
    assert main("1.31").validate_create(asked) == []


def test_a_controller_goes_unless_its_gate_is_on_or_the_claim_has_one() -> None:
    spec = {"devices": devices(request())}
    with_it, without = claim({**spec, "controller": "gpu.example.com"}), claim(spec)
    on: dict[str, Any] = {"DRAControlPlaneController": True}
    assert main("1.31").prepare_create(copy.deepcopy(with_it)) == without
    assert main("1.31", **on).prepare_create(copy.deepcopy(with_it)) == with_it
    assert main("1.31").prepare_update(copy.deepcopy(with_it), with_it) == with_it
    bad = claim({**spec, "controller": "BAD_NAME"})
    assert places(main("1.31", **on).validate_create(bad)) == ["spec.controller"]


def test_in_1_33_a_request_that_only_wanted_admin_access_misses_its_class() -> None:
    strategy = main("1.33", layout=Layout.NESTED)
    lonely = claim({"devices": devices({"name": "gpu", "deviceClassName": "", "adminAccess": True})})
    created = strategy.prepare_create(in_hub(defaulted("1.33", lonely, layout=Layout.NESTED)))
    assert places(strategy.validate_create(created)) == [
        "spec.devices.requests[0].exactly.deviceClassName",
        "spec.devices.requests[0].exactly.allocationMode",
    ]


@pytest.mark.parametrize("name", ["selectors", "tolerations"])
def test_in_1_33_an_empty_list_makes_a_request_an_exact_one(name: str) -> None:
    strategy = main("1.33", layout=Layout.NESTED, DRAPrioritizedList=True)
    listed = {"name": "gpu", "firstAvailable": [subrequest("big")]}
    sent = claim({"devices": devices({**listed, name: []})})
    decoded = claim({"devices": devices({**listed, "deviceClassName": ""})})
    restored = strategy.restore_after_decoding(copy.deepcopy(decoded), sent)
    assert restored == claim({"devices": devices({**listed, "deviceClassName": "", name: []})})
    created = strategy.prepare_create(in_hub(defaulted("1.33", restored, layout=Layout.NESTED)))
    [stored] = created["spec"]["devices"]["requests"]
    assert stored["exactly"] == {"deviceClassName": ""} | ({name: []} if name == "selectors" else {})
    assert places(strategy.validate_create(created)) == [
        "spec.devices.requests[0].exactly.deviceClassName",
        "spec.devices.requests[0].exactly.allocationMode",
        "spec.devices.requests[0]",
    ]
    older = main("1.32", layout=Layout.NESTED)
    assert older.restore_after_decoding(copy.deepcopy(decoded), sent) == decoded
    assert main("1.33").restore_after_decoding(copy.deepcopy(decoded), sent) == decoded, (
        "flat: said by exactly"
    )


def test_an_empty_list_beside_a_class_stays_for_errors() -> None:
    sent = claim({"devices": devices(nested_request(selectors=[]))})
    decoded = claim({"devices": devices(nested_request())})
    restored = main("1.33", layout=Layout.NESTED).restore_after_decoding(copy.deepcopy(decoded), sent)
    assert restored == sent


def test_an_empty_list_that_is_restored_beside_a_list_that_is_not_empty_leaves_that_alone() -> None:
    listed = {"name": "gpu", "tolerations": [{"key": "k"}]}
    sent = claim({"devices": devices({**listed, "selectors": []})})
    decoded = claim({"devices": devices({**listed, "deviceClassName": ""})})
    restored = main("1.33", layout=Layout.NESTED).restore_after_decoding(decoded, sent)
    assert restored == claim({"devices": devices({**listed, "deviceClassName": "", "selectors": []})})


def test_what_was_sent_without_requests_is_recalled_as_it_was_decoded() -> None:
    bare = claim({"devices": devices()})
    for sent in (None, {}, {"spec": None}, {"spec": {"devices": {"requests": None}}}):
        strategy = main("1.33", layout=Layout.NESTED)
        assert strategy.restore_after_decoding(copy.deepcopy(bare), sent) == bare


@pytest.mark.parametrize(("release", "refused"), [("1.32", []), ("1.33", ["adminAccess"])])
def test_from_1_33_the_namespace_must_allow_admin_access(release: str, refused: list[str]) -> None:
    errors = main(release, DRAAdminAccess=True).authorize_create(
        v1alpha3_claim(None, request(adminAccess=True))
    )
    assert places(errors) == [f"spec.devices.requests[0].{field}" for field in refused]


def test_a_spec_does_not_change_and_its_own_errors_come_twice() -> None:
    old = v1alpha3_claim()
    assert main("1.33").validate_update(v1alpha3_claim(), old) == []
    bad = v1alpha3_claim(None, request("Bad_Name"))
    assert places(main("1.32").validate_update(bad, old)) == [
        "spec.devices.requests[0].name",
        "spec",
        "spec.devices.requests[0].name",
    ]


@pytest.mark.parametrize(
    ("release", "shown"),
    [
        ("1.31", " Count:2, AdminAccess:false}"),
        ("1.32", " Count:2, AdminAccess:(*bool)(nil)}"),
        ("1.33", " Exactly:(*resource.ExactDeviceRequest)("),
    ],
)
def test_a_changed_spec_is_shown_as_the_release_s_own_type_has_it(release: str, shown: str) -> None:
    [error] = main(release).validate_update(v1alpha3_claim(None, request(count=2)), v1alpha3_claim())
    assert error.body.startswith("Invalid value: resource.ResourceClaimSpec{Devices:resource.DeviceClaim{")
    assert shown in error.body


@pytest.mark.parametrize("release", RELEASES)
def test_a_write_to_status_leaves_spec_and_metadata_alone(release: str) -> None:
    old = v1alpha3_claim(labels={"keep": "1"})
    before = copy.deepcopy(old)
    new = v1alpha3_claim(allocated(), request("other"), labels={"new": "1"}, finalizers=["example.com/new"])
    prepared = status(release).prepare_update(new, old)
    assert prepared == v1alpha3_claim(allocated(), labels={"keep": "1"})
    assert old == before


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("new", "old"),
    [
        ({}, {}),
        (allocated(), {}),
        (allocated(1, 2), allocated(1)),
        (allocated(*range(32)), allocated()),
        ({}, allocated()),
    ],
)
def test_a_claim_is_allocated_reserved_and_released(
    release: str, new: dict[str, Any], old: dict[str, Any]
) -> None:
    assert found(release, new, old) == []


@pytest.mark.parametrize(
    ("release", "count", "expected"),
    [
        ("1.31", 33, [("status.reservedFor", "TooLong", "Too long: may not be longer than 32")]),
        ("1.32", 256, []),
        ("1.33", 257, [("status.reservedFor", "TooMany", "Too many: 257: must have at most 256 items")]),
    ],
)
def test_a_claim_is_reserved_for_so_many(release: str, count: int, expected: list[Triple]) -> None:
    assert found(release, allocated(*range(count)), allocated()) == expected


def test_a_consumer_that_comes_twice_is_held_to_all_rules_and_a_duplicate() -> None:
    twice = allocated(reservedFor=[consumer(1), consumer(1, name="")])
    assert found("1.33", twice) == [
        ("status.reservedFor[1].name", "Required", "Required value"),
        ("status.reservedFor[1].uid", "Duplicate", 'Duplicate value: "pod-uid-1"'),
    ]


@pytest.mark.parametrize("release", RELEASES)
def test_only_an_allocated_claim_is_reserved(release: str) -> None:
    assert [error[0] for error in found(release, {"reservedFor": [consumer(1)]})] == ["status.reservedFor"]


@pytest.mark.parametrize("release", RELEASES)
def test_no_consumer_comes_to_a_claim_that_is_going(release: str) -> None:
    going: dict[str, Any] = {"deletionTimestamp": "2001-01-01T00:00:00Z"}
    assert found(release, allocated(1), allocated(1, 2), **going) == []
    [error] = found(release, allocated(1, 2), allocated(1), **going)
    assert error[2].startswith("Forbidden: new entries may not be added while")


def test_an_allocation_does_not_change_and_only_1_31_looks_at_it_again() -> None:
    old = allocated(results=[result(device="Bad_Device")])
    new = allocated(results=[result(device="Other_Bad_Device")])
    assert [error[0] for error in found("1.31", new, old)] == [
        "status.allocation.devices.results[0].device",
        "status.allocation",
    ]
    assert [error[0] for error in found("1.32", new, old)] == ["status.allocation"]
    assert found("1.32", old, old) == []


def test_errors_come_in_the_order_of_the_checks() -> None:
    new = allocated(results=[result(device="Bad_Device")])
    new["reservedFor"] = [{"resource": "", "name": "n", "uid": "u"}]
    going: dict[str, Any] = {"deletionTimestamp": "2001-01-01T00:00:00Z"}
    allocation = "status.allocation.devices.results[0].device"
    reserved = ["status.reservedFor[0].resource", "status.reservedFor"]
    assert [error[0] for error in found("1.31", new, **going)] == [allocation, *reserved]
    assert [error[0] for error in found("1.33", new, **going)] == [*reserved, allocation]


@pytest.mark.parametrize(
    ("release", "on", "kept"),
    [("1.32", False, False), ("1.32", True, True), ("1.33", True, True), ("1.33", False, False)],
)
def test_reports_about_devices_are_behind_their_gate(release: str, on: bool, kept: bool) -> None:  # noqa: FBT001 - columns of the table
    strategy = status(release, DRAResourceClaimDeviceStatus=on)
    old, new = v1alpha3_claim(allocated()), v1alpha3_claim(allocated(devices=[REPORTED]))
    stored = strategy.prepare_update(new, old)
    assert ("devices" in stored["status"]) is kept
    assert strategy.validate_update(stored, old) == []


def test_reports_stay_while_the_gate_is_off_in_a_claim_that_has_some() -> None:
    old = v1alpha3_claim(allocated(devices=[REPORTED]))
    assert status("1.33").prepare_update(copy.deepcopy(old), old) == old


def test_reports_go_with_the_allocation() -> None:
    old = v1alpha3_claim(allocated(devices=[REPORTED]))
    deallocated = v1alpha3_claim({"devices": [REPORTED]})
    assert status("1.33").prepare_update(deallocated, old) == v1alpha3_claim()


def test_a_report_is_about_a_device_of_the_claim() -> None:
    new = allocated(devices=[{**REPORTED, "device": "gpu-9"}])
    assert [error[0] for error in found("1.33", new)] == ["status.devices[0]"]


@pytest.mark.parametrize("release", ["1.32", "1.33"])
def test_admin_access_of_results_goes_unless_its_gate_is_on_or_the_claim_has_it(release: str) -> None:
    def new() -> dict[str, Any]:
        return v1alpha3_claim(allocated(results=[result(adminAccess=True)]))

    def stored(strategy: ClaimStatusStrategy, old: dict[str, Any]) -> Any:
        prepared = strategy.prepare_update(new(), old)
        return prepared["status"]["allocation"]["devices"]["results"][0]["adminAccess"]

    assert stored(status(release), v1alpha3_claim()) is None
    assert stored(status(release, DRAAdminAccess=True), v1alpha3_claim()) is True
    assert stored(status(release), v1alpha3_claim(None, request(adminAccess=True))) is True


def test_from_1_33_results_with_admin_access_need_a_namespace_that_allows_it() -> None:
    new, old = v1alpha3_claim(allocated(results=[result(adminAccess=True)])), v1alpha3_claim()
    assert status("1.32").validate_update(new, old) == []
    assert places(status("1.33").validate_update(new, old)) == [
        "status.allocation.devices.results[0].adminAccess"
    ]


def controlled(**fields: Any) -> dict[str, Any]:
    return {"allocation": {"devices": {}, "controller": "gpu.example.com"}, **fields}


def test_without_the_gate_a_controller_takes_no_claim_that_is_not_its_own() -> None:
    new = v1alpha3_claim(controlled(deallocationRequested=True))
    assert status("1.31").prepare_update(new, v1alpha3_claim()) == v1alpha3_claim(
        {"allocation": {"devices": {}}}
    )


def test_without_the_gate_a_controller_still_deallocates_what_is_its_own() -> None:
    old = v1alpha3_claim(controlled())
    asked = v1alpha3_claim(controlled(deallocationRequested=True))
    assert status("1.31").prepare_update(copy.deepcopy(asked), old) == asked
    assert status("1.31").prepare_update(copy.deepcopy(asked), asked) == asked
    old["spec"]["controller"] = "gpu.example.com"
    kept = status("1.31").prepare_update(v1alpha3_claim(controlled()), {**old, "status": {}})
    assert kept["status"] == controlled()


def test_with_the_gate_deallocation_has_its_rules() -> None:
    strategy = status("1.31", DRAControlPlaneController=True)
    old = v1alpha3_claim({})
    new = strategy.prepare_update(v1alpha3_claim({"deallocationRequested": True}), old)
    assert places(strategy.validate_update(new, old)) == ["status"]


def test_expressions_are_checked_by_the_check_that_is_given() -> None:
    strategy = ClaimStrategy(rules_with("1.33"), lambda _: {}, lambda _: Invalid("does not compile"))
    new = v1alpha3_claim(None, request(selectors=[{"cel": {"expression": "1 +"}}]))
    assert triples(strategy.validate_create(new)) == [
        (
            "spec.devices.requests[0].exactly.selectors[0].cel.expression",
            "Invalid",
            'Invalid value: "1 +": does not compile',
        )
    ]


def test_a_write_that_starts_again_finds_its_body_as_it_was_sent() -> None:
    old = v1alpha3_claim(allocated(devices=[REPORTED]))
    sent = v1alpha3_claim(
        {"devices": [REPORTED]}, request(adminAccess=True, firstAvailable=[subrequest("big")])
    )
    before = copy.deepcopy(sent)
    status("1.33").prepare_update(dict(sent), old)
    main("1.33").prepare_update(dict(sent), old)
    controlled_by = v1alpha3_claim(controlled(deallocationRequested=True))
    controlled_by["spec"]["controller"] = "gpu.example.com"
    frozen = copy.deepcopy(controlled_by)
    status("1.31").prepare_update(dict(controlled_by), v1alpha3_claim())
    main("1.31").prepare_update(dict(controlled_by), v1alpha3_claim())
    assert (sent, controlled_by) == (before, frozen)


def test_an_update_in_1_31_minds_no_gate_of_admin_access() -> None:
    plain = {name: value for name, value in result().items() if name != "adminAccess"}
    old = v1alpha3_claim(allocated(results=[plain]))
    assert main("1.31").prepare_update(v1alpha3_claim(), old)["status"] == old["status"]


@pytest.mark.parametrize(
    ("release", "expected"), [("1.34", ["spec.devices.requests[0].name"] * 2), ("1.35", [])]
)
def test_from_1_35_on_an_update_does_not_look_at_a_spec_that_stays(release: str, expected: list[str]) -> None:
    odd = v1alpha3_claim(None, request("Bad_Name"))
    assert places(main(release).validate_update(odd, odd)) == expected


@pytest.mark.parametrize(
    ("release", "kept"), [("1.34", {"tolerations", "distinctAttribute"}), ("1.35", set())]
)
def test_what_a_gate_that_is_off_takes_from_a_spec(release: str, kept: set[str]) -> None:
    wished = request(tolerations=[{"operator": "Exists"}], capacity={"requests": {"memory": "1"}})
    new = v1alpha3_claim(None, wished)
    new["spec"]["devices"]["constraints"] = [{"distinctAttribute": "a.example/x"}]
    left = main(release).prepare_create(copy.deepcopy(new))["spec"]["devices"]
    found = {*left["requests"][0]["exactly"], *left["constraints"][0]}
    assert found & {"tolerations", "capacity", "distinctAttribute"} == kept
    on = main(release, DRAConsumableCapacity=True, DRADeviceTaints=True)
    assert on.prepare_create(copy.deepcopy(new))["spec"] == new["spec"]
    assert main(release).prepare_update(copy.deepcopy(new), new)["spec"] == new["spec"]


def test_from_1_34_on_a_change_is_shown_as_json_of_the_server_s_own_types() -> None:
    [(field, _, message)] = triples(
        main("1.35").validate_update(v1alpha3_claim(None, request("b")), v1alpha3_claim())
    )
    assert field == "spec"
    assert message.startswith(
        'Invalid value: {"Devices":{"Requests":[{"Name":"b","Exactly":{"DeviceClassName":'
    )


@pytest.mark.parametrize(
    ("on", "expected"),
    [
        (False, ("spec.devices.constraints[0].matchAttribute", "Required value")),
        (True, ("spec.devices.constraints[0]", ONE_ATTRIBUTE)),
    ],
)
def test_a_constraint_has_an_attribute(on: bool, expected: tuple[str, str]) -> None:  # noqa: FBT001 - a column of the table
    new = v1alpha3_claim()
    new["spec"]["devices"]["constraints"] = [{}]
    [(field, _, message)] = triples(main("1.34", DRAConsumableCapacity=on).validate_create(new))
    assert (field, message) == expected


@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "b", "A!"]), st.sampled_from(["", "x.example.com", "-"])))
)
def test_a_spec_is_judged_the_same_however_many_were_judged_before(specs: list[tuple[str, str]]) -> None:
    judge = main("1.33")
    for name, device_class in specs * 2:
        obj = claim({"devices": devices(request(name, deviceClassName=device_class))})
        assert judge.validate_create(obj) == main("1.33").validate_create(obj)


def test_specs_are_forgotten_when_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fakeapi.kinds.resource.claim.SPECS_KEPT", 2)
    judge = main("1.33")
    for name in "abcab":
        assert not judge.validate_create(claim({"devices": devices(request(name))}))
        assert len(judge._right_specs) <= 2
    assert len(judge._right_specs) == 1
