"""ResourceClaim of resource.k8s.io/v1alpha2: defaults, validation and status."""

import copy
from typing import Any

import pytest

from fakeapi.kinds.resource.legacy_v1alpha2.claim import (
    ClaimStatusStrategy,
    ClaimStrategy,
    validate_claim_spec,
)
from tests.kinds.resource.builders import (
    RULES,
    Triple,
    claim,
    consumer,
    places,
    triples,
    v1alpha2_claim,
)

RELEASES = ["1.27", "1.28", "1.29", "1.30"]
REQUIRED = "Required value"


def status(*reserved: int, **fields: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"driverName": "gpu.example.com", "allocation": {"shareable": True}}
    if reserved:
        made["reservedFor"] = [consumer(number) for number in reserved]
    return made | fields


def found(new: dict[str, Any], old: dict[str, Any] | None = None, **metadata: Any) -> list[Triple]:
    strategy = ClaimStatusStrategy(RULES["1.30"])
    return triples(strategy.validate_update(v1alpha2_claim(new, **metadata), v1alpha2_claim(old)))


def test_a_claim_waits_for_its_first_consumer_unless_it_says_otherwise() -> None:
    strategy = ClaimStrategy(RULES["1.27"])
    assert strategy.default(claim({"resourceClassName": "a"}))["spec"] == {
        "resourceClassName": "a",
        "allocationMode": "WaitForFirstConsumer",
    }
    immediate = claim({"resourceClassName": "a", "allocationMode": "Immediate"})
    assert strategy.default(copy.deepcopy(immediate)) == immediate


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"resourceClassName": "a.b.c", "allocationMode": "Immediate"}, []),
        (
            {"resourceClassName": "a", "allocationMode": "Never"},
            [
                (
                    "spec.allocationMode",
                    "NotSupported",
                    'Unsupported value: "Never": supported values: "Immediate", "WaitForFirstConsumer"',
                )
            ],
        ),
        (
            {
                "resourceClassName": "a",
                "parametersRef": {"kind": "", "name": ""},
                "allocationMode": "Immediate",
            },
            [
                ("spec.parametersRef.kind", "Required", REQUIRED),
                ("spec.parametersRef.name", "Required", REQUIRED),
            ],
        ),
        (
            {
                "resourceClassName": "a",
                "parametersRef": {"apiGroup": "bad group!", "kind": "K", "name": "BAD NAME"},
                "allocationMode": "Immediate",
            },
            [],
        ),
    ],
)
def test_what_is_wrong_with_a_spec_is_said(spec: dict[str, Any], expected: list[Triple]) -> None:
    assert triples(validate_claim_spec(spec, "spec")) == expected


@pytest.mark.parametrize("name", ["", "Bad_Name", "x" * 254])
def test_a_class_is_named_like_a_subdomain(name: str) -> None:
    errors = validate_claim_spec({"resourceClassName": name, "allocationMode": "Immediate"}, "spec.spec")
    assert places(errors) == ["spec.spec.resourceClassName"]


@pytest.mark.parametrize("release", RELEASES)
def test_a_created_claim_has_no_status_yet(release: str) -> None:
    assert ClaimStrategy(RULES[release]).prepare_create(v1alpha2_claim(status(1))) == v1alpha2_claim()


@pytest.mark.parametrize("release", RELEASES)
def test_a_write_to_a_claim_leaves_its_status_alone(release: str) -> None:
    old = v1alpha2_claim(status(1))
    new = ClaimStrategy(RULES[release]).prepare_update(v1alpha2_claim(labels={"new": "1"}), old)
    assert new == v1alpha2_claim(status(1), labels={"new": "1"})


def test_a_spec_does_not_change_and_its_own_errors_come_twice() -> None:
    strategy = ClaimStrategy(RULES["1.30"])
    assert strategy.validate_update(v1alpha2_claim(), v1alpha2_claim()) == []
    bad = claim({"resourceClassName": "class-a", "allocationMode": "Never"})
    assert places(strategy.validate_update(bad, v1alpha2_claim())) == [
        "spec.allocationMode",
        "spec",
        "spec.allocationMode",
    ]


@pytest.mark.parametrize("release", RELEASES)
def test_a_write_to_status_leaves_the_spec_alone(release: str) -> None:
    old = v1alpha2_claim()
    before = copy.deepcopy(old)
    new = claim({"resourceClassName": "other"}, status())
    assert ClaimStatusStrategy(RULES[release]).prepare_update(new, old) == v1alpha2_claim(status())
    assert old == before


@pytest.mark.parametrize(
    ("release", "stored"), [("1.27", True), ("1.28", True), ("1.29", True), ("1.30", False)]
)
def test_a_write_to_status_stores_metadata_up_to_1_29(release: str, stored: bool) -> None:  # noqa: FBT001 - a column of the table
    old = v1alpha2_claim(labels={"keep": "1"})
    new = ClaimStatusStrategy(RULES[release]).prepare_update(
        v1alpha2_claim(labels={"new": "1"}, finalizers=["example.com/new"]), old
    )
    assert (new["metadata"]["labels"] == {"new": "1"}) is stored
    assert ("finalizers" in new["metadata"]) is stored


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ({}, {}),
        ({"driverName": "gpu.example.com"}, {}),
        (status(), {}),
        (status(1, 2), status(1)),
        (status(*range(32)), status()),
        (status(1, allocation={}), status(allocation={})),
        ({}, status()),
        (status(allocation={"resourceHandles": [], "shareable": True}), status()),
    ],
)
def test_a_claim_is_allocated_reserved_and_released(new: dict[str, Any], old: dict[str, Any]) -> None:
    assert found(new, old) == []


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (
            {"allocation": {}},
            [
                (
                    "status.driverName",
                    "Required",
                    "Required value: must be specified when `allocation` is set",
                )
            ],
        ),
        (
            {"reservedFor": [consumer(1)]},
            [
                (
                    "status.reservedFor",
                    "Forbidden",
                    "Forbidden: may not be specified when `allocated` is not set",
                )
            ],
        ),
        (
            status(1, 2, allocation={}),
            [("status.reservedFor", "Forbidden", "Forbidden: may not be reserved more than once")],
        ),
        (
            status(*range(33)),
            [("status.reservedFor", "TooLong", "Too long: may not be longer than 32")],
        ),
        (
            status(reservedFor=[consumer(1), {"resource": "", "name": "", "uid": "pod-uid-1"}]),
            [("status.reservedFor[1].uid", "Duplicate", 'Duplicate value: "pod-uid-1"')],
        ),
    ],
)
def test_what_is_wrong_with_a_status_is_said(new: dict[str, Any], expected: list[Triple]) -> None:
    assert found(new) == expected


def test_an_allocation_does_not_change() -> None:
    handles = [{"driverName": "gpu.example.com", "data": "x"}]
    [error] = found(status(allocation={"resourceHandles": handles, "shareable": True}), status())
    assert error[0] == "status.allocation"
    assert error[2].endswith(": field is immutable")


@pytest.mark.parametrize(
    "going", [{"deletionTimestamp": "2001-01-01T00:00:00Z"}, {"deletionTimestamp": None}]
)
def test_no_consumer_comes_to_a_claim_that_is_going(going: dict[str, Any]) -> None:
    metadata = {key: value for key, value in going.items() if value}
    asked = {} if metadata else {"deallocationRequested": True}
    assert found(status(1, **asked), status(1, 2, **asked), **metadata) == []
    [error] = found(status(1, 2, **asked), status(1, **asked), **metadata)
    assert error[0] == "status.reservedFor"
    assert error[2].startswith("Forbidden: new entries may not be added while")


def test_errors_come_in_the_order_of_the_checks() -> None:
    new = {
        "driverName": "BAD_NAME",
        "allocation": {"resourceHandles": [{"driverName": "BAD_NAME"}]},
        "reservedFor": [consumer(1), {"resource": "", "name": "n", "uid": "u"}],
        "deallocationRequested": True,
    }
    assert [error[0] for error in found(new, status())] == [
        "status.driverName",
        "status.allocation.resourceHandles[0].driverName",
        "status.reservedFor[1].resource",
        "status.reservedFor",
        "status.reservedFor",
        "status.allocation",
        "status.deallocationRequested",
    ]


def test_each_path_owns_the_other_half() -> None:
    assert ClaimStrategy.reset_fields == (("status",),)
    assert ClaimStatusStrategy.reset_fields == (("spec",),)
