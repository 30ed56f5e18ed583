"""Lease and LeaseCandidate: validation, gated fields, and updates that create objects."""

from typing import Any

import pytest

from tests.kinds.judging import Body, Found, created, refusals, refused_change, resource_of

GROUP = "coordination.k8s.io"
CANDIDATE = {
    "leaseName": "l",
    "binaryVersion": "1.33.0",
    "emulationVersion": "1.32.0",
    "strategy": "OldestEmulationVersion",
}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"holderIdentity": "", "leaseDurationSeconds": 1, "leaseTransitions": 0}, []),
        (
            {"leaseDurationSeconds": 0},
            [("spec.leaseDurationSeconds", "Invalid value: 0: must be greater than 0")],
        ),
        (
            {"leaseTransitions": -1},
            [("spec.leaseTransitions", "Invalid value: -1: must be greater than or equal to 0")],
        ),
    ],
)
def test_a_lease_counts_from_one_and_its_transitions_from_zero(spec: Body, expected: Found) -> None:
    assert refusals(resource_of("1.33", GROUP, "v1", "leases"), {"spec": spec}) == expected


def test_a_lease_drops_the_fields_of_coordinated_election_while_its_gate_is_off() -> None:
    spec = {"holderIdentity": "a", "strategy": "OldestEmulationVersion", "preferredHolder": "b"}
    lease = resource_of("1.33", GROUP, "v1", "leases")
    assert created(lease, {"spec": spec})["spec"] == {"holderIdentity": "a"}


def test_leases_and_candidates_are_created_by_an_update_that_names_no_version() -> None:
    for resource, version in (("leases", "v1"), ("leasecandidates", "v1beta1")):
        strategy: Any = resource_of("1.33", GROUP, version, resource).strategy_for("")
        assert strategy.creates_on_update
        assert not strategy.updates_unconditionally


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"strategy": "example.com/mine"}, []),
        ({"leaseName": ""}, [("spec.leaseName", "Required value")]),
        ({"binaryVersion": ""}, [("spec.binaryVersion", "Required value")]),
        (
            {"binaryVersion": "1.33"},
            [
                ("spec.binaryVersion", 'Invalid value: "1.33": must be a valid semantic version'),
                (
                    "spec.binaryVersion",
                    'Invalid value: "1.33": must be greater than or equal to `emulationVersion`',
                ),
            ],
        ),
        (
            {"binaryVersion": "1.31.9"},
            [
                (
                    "spec.binaryVersion",
                    'Invalid value: "1.31.9": must be greater than or equal to `emulationVersion`',
                )
            ],
        ),
        (
            {"binaryVersion": "1.32.0-alpha.2", "emulationVersion": "1.32.0-alpha.10"},
            [
                (
                    "spec.binaryVersion",
                    'Invalid value: "1.32.0-alpha.2": must be greater than or equal to `emulationVersion`',
                )
            ],
        ),
        (
            {"emulationVersion": ""},
            [
                (
                    "spec.emulationVersion",
                    "Required value: must be specified when `strategy` is 'OldestEmulationVersion'",
                )
            ],
        ),
        ({"strategy": ""}, [("spec.strategy", "Required value")]),
        (
            {"strategy": "Odd"},
            [
                (
                    "spec.strategy.strategy",
                    'Unsupported value: "Odd": supported values: "OldestEmulationVersion"',
                )
            ],
        ),
    ],
)
def test_a_candidate_has_versions_in_order_and_a_strategy(changes: Body, expected: Found) -> None:
    resource = resource_of("1.33", GROUP, "v1beta1", "leasecandidates")
    assert refusals(resource, {"spec": {**CANDIDATE, **changes}}) == expected


def test_a_candidate_of_1_31_lists_strategies_and_needs_no_version_for_others() -> None:
    resource = resource_of("1.31", GROUP, "v1alpha1", "leasecandidates")
    assert refusals(resource, {"spec": {"leaseName": "l", "preferredStrategies": ["a.example.com/x"]}}) == []
    spec = {"leaseName": "l", "preferredStrategies": ["OldestEmulationVersion"]}
    assert [field for field, _ in refusals(resource, {"spec": spec})] == [
        "spec.binaryVersion",
        "spec.emulationVersion",
    ]


def test_the_lease_of_a_candidate_stays() -> None:
    resource = resource_of("1.33", GROUP, "v1beta1", "leasecandidates")
    changed = {"spec": {**CANDIDATE, "leaseName": "other"}}
    assert refused_change(resource, {"spec": CANDIDATE}, changed) == [
        ("spec.leaseName", 'Invalid value: "other": field is immutable')
    ]


def test_a_candidates_name_is_a_key_of_a_config_map() -> None:
    validate = resource_of("1.33", GROUP, "v1beta1", "leasecandidates").name_validator
    assert validate("A_b.c", False) == []
    assert validate("a/b", False) != []
