"""Node: validation, immutable fields and warnings."""

from typing import Any

import pytest

from fakeapi.registry.model.resource import Resource
from tests.kinds.judging import (
    Body,
    Found,
    canonical,
    created,
    refusals,
    refused_change,
    resource_of,
)

NO_CIDR = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
BOTH = "may specify no more than one CIDR for each IP family"
BAD_VALUE = (
    'Invalid value: "bad value!": a valid label must be an empty string or consist of alphanumeric '
    "characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or "
    "'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
STAYS = 'Forbidden: node updates may not change podCIDR except from "" to valid'


def nodes(release: str = "1.33") -> Resource:
    return resource_of(release, "", "v1", "nodes")


def node(**spec: Any) -> Body:
    return {"spec": spec}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (node(podCIDRs=["10.0.0.0/24", "fd00::/64"]), []),
        (node(podCIDR="x"), [("spec.podCIDRs[0]", f'Invalid value: "x": {NO_CIDR}')]),
        (
            node(podCIDRs=["10.0.0.0/24", "10.1.0.0/24"]),
            [("spec.podCIDRs", f'Invalid value: []string{{"10.0.0.0/24", "10.1.0.0/24"}}: {BOTH}')],
        ),
        (
            node(taints=[{"key": "a", "effect": ""}]),
            [("metadata.taints[0].effect", "Required value")],
        ),
        (
            node(taints=[{"key": "a", "value": "bad value!", "effect": "NoSchedule"}]),
            [
                (
                    "metadata.taints[0].value",
                    BAD_VALUE,
                )
            ],
        ),
        (
            {"status": {"capacity": {"cpu": "-1"}}},
            [
                (f"status.{part}.cpu", 'Invalid value: "-1": must be greater than or equal to 0')
                for part in ("capacity", "allocatable")
            ],
        ),
        (
            {"status": {"allocatable": {"": "-1"}}},
            [("status.allocatable[]", 'Invalid value: "-1": must be greater than or equal to 0')],
        ),
        (
            {"metadata": {"annotations": {"scheduler.alpha.kubernetes.io/taints": "[{}]"}}},
            None,
        ),
    ],
)
def test_networks_taints_and_resources_of_a_node_are_checked(body: Body, expected: Found | None) -> None:
    errors = refusals(nodes(), body)
    if expected is None:
        assert {field for field, _ in errors} == {
            f"metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].{name}"
            for name in ("key", "effect")
        }
    else:
        assert errors == expected


@pytest.mark.parametrize(
    ("release", "words"),
    [
        ("1.29", 'Invalid value: []string{"x"}: must be valid CIDR'),
        ("1.30", f'Invalid value: "x": {NO_CIDR}'),
    ],
)
def test_a_network_is_refused_in_the_words_of_the_release(release: str, words: str) -> None:
    assert refusals(nodes(release), node(podCIDR="x")) == [("spec.podCIDRs[0]", words)]


def test_the_two_fields_of_networks_agree() -> None:
    assert canonical(nodes(), node(podCIDR="10.0.0.0/24"))["spec"]["podCIDRs"] == ["10.0.0.0/24"]
    other = canonical(nodes(), node(podCIDR="10.0.0.0/24", podCIDRs=["10.1.0.0/24", "fd00::/64"]))
    assert other["spec"]["podCIDRs"] == ["10.0.0.0/24"]
    assert canonical(nodes(), node(podCIDRs=["10.1.0.0/24"]))["spec"]["podCIDR"] == "10.1.0.0/24"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (node(), node(podCIDR="10.0.0.0/24", providerID="x"), []),
        (node(podCIDR="10.0.0.0/24"), node(podCIDR="10.1.0.0/24"), [("spec.podCIDRs", STAYS)]),
        (node(podCIDR="10.0.0.0/24"), node(), [("spec.podCIDRs", STAYS)]),
        (
            node(providerID="x"),
            node(providerID="y"),
            [
                (
                    "spec.providerID",
                    'Forbidden: node updates may not change providerID except from "" to valid',
                )
            ],
        ),
        (node(externalID="x"), node(externalID="y"), [("spec.externalID", "Forbidden: may not be updated")]),
        (node(), node(unschedulable=True, taints=[{"key": "a", "effect": "NoExecute"}]), []),
    ],
)
def test_networks_and_provider_are_set_once(old: Body, new: Body, expected: Found) -> None:
    assert refused_change(nodes(), old, new) == expected


@pytest.mark.parametrize(("new", "done"), [(node(providerID="y"), "modified"), (node(), "cleared")])
def test_a_change_of_the_provider_is_invalid_from_1_37_on(new: Body, done: str) -> None:
    assert refused_change(nodes("1.37"), node(providerID="x"), new) == [
        ("spec.providerID", f"Invalid value: null: field cannot be {done} once set")
    ]


def test_a_node_is_registered_with_its_status_which_later_writes_keep() -> None:
    resource, status = nodes(), {"capacity": {"cpu": "4"}}
    old = created(resource, {"status": status})
    assert old["status"]["allocatable"] == {"cpu": "4"}
    changed = resource.strategy_for("").prepare_update(canonical(resource, {"status": {}}), old)
    assert changed["status"] == old["status"]


def test_a_heartbeat_may_change_metadata_but_not_the_spec() -> None:
    resource = nodes()
    old = created(resource, node(podCIDR="10.0.0.0/24"))
    beat = canonical(resource, {"metadata": {"labels": {"a": "b"}}, "status": {"phase": "Running"}})
    new = resource.strategy_for("status").prepare_update(beat, old)
    assert (new["spec"], new["metadata"]["labels"]) == (old["spec"], {"a": "b"})


def test_addresses_of_a_node_differ() -> None:
    resource = nodes("1.36")
    old = created(resource, {})
    address = {"type": "InternalIP", "address": "10.0.0.1"}
    new = {**old, "status": {**old["status"], "addresses": [address, address]}}
    errors = resource.strategy_for("status").validate_update(new, old)
    assert [(each.field, each.body) for each in errors] == [
        ("status.addresses[1]", 'Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}')
    ]


@pytest.mark.parametrize(
    ("features", "fields"),
    [
        (["A", "B/c"], []),
        (["B", "A"], ["[1]"]),
        (["A", "A"], ["[1]"]),
        (["a"], ["[0]"]),
    ],
)
def test_features_that_a_node_declares_are_sorted_and_differ(features: list[str], fields: list[str]) -> None:
    errors = refusals(nodes("1.36"), {"status": {"declaredFeatures": features}})
    assert [field for field, _ in errors] == [f"status.declaredFeatures{each}" for each in fields]


def test_deprecated_fields_and_ambiguous_networks_are_warned_of() -> None:
    body = node(externalID="x", podCIDR="10.0.0.1/24")
    for release, count in (("1.32", 1), ("1.33", 2)):
        resource = nodes(release)
        assert len(resource.strategy_for("").warnings_on_create(created(resource, body))) == count


def test_a_table_shows_status_roles_and_addresses() -> None:
    obj = created(
        nodes(), {"metadata": {"labels": {"node-role.kubernetes.io/b": "", "kubernetes.io/role": "a"}}}
    )
    obj["spec"]["unschedulable"] = True
    info = {"kernelVersion": "6.1", "architecture": "arm64", "kubeletVersion": "v1"}
    obj["status"] = {
        "conditions": [{"type": "Ready", "status": "True"}],
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        "nodeInfo": info,
    }
    cells = {each.name: each.cell(obj, 0.0) for each in nodes().columns}
    assert cells["Status"] == "Ready,SchedulingDisabled"
    assert (cells["Roles"], cells["Version"]) == ("a,b", "v1")
    assert (cells["Internal-IP"], cells["External-IP"], cells["OS-Image"]) == (
        "10.0.0.1",
        "<none>",
        "<unknown>",
    )
    newer = {each.name: each.cell(obj, 0.0) for each in nodes("1.36").columns}
    assert (cells["Kernel-Version"], newer["Kernel-Version"]) == ("6.1", "6.1 (arm64)")


def test_nodes_are_selected_by_whether_pods_go_there() -> None:
    labels = nodes().field_labels
    assert labels.fields_of is not None
    assert labels.fields_of(created(nodes(), node(unschedulable=True))) == {"spec.unschedulable": "true"}
