"""The option `nodes` gives nodes their names, capacity, labels, taints and versions."""

from pathlib import Path
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.devices.model import DeviceError
from fakeapi.devices.nodes import NodeSpec, node_specs
from fakeapi.devices.reading import NODES_MAX

TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("a,b", [NodeSpec("a"), NodeSpec("b")]),
        (" a , ", [NodeSpec("a")]),
        ("", []),
        ("a,b,cpu=4", [NodeSpec("a", {"cpu": "4"}), NodeSpec("b", {"cpu": "4"})]),
        ("a,memory=1Gi;b", [NodeSpec("a", {"memory": "1Gi"}), NodeSpec("b")]),
        ("a,label=zone=z1,label=x", [NodeSpec("a", labels={"zone": "z1", "x": ""})]),
        ("a,taint=gpu=yes:NoSchedule", [NodeSpec("a", taints=(TAINT,))]),
        ("a,version=1.33.4,nvidia.com/gpu=2", [NodeSpec("a", {"nvidia.com/gpu": "2"}, version="v1.33.4")]),
        ("n-{08..10}", [NodeSpec("n-08"), NodeSpec("n-09"), NodeSpec("n-10")]),
        (
            {"a": {"cpu": 4, "labels": {"x": "y"}}, "b": None},
            [NodeSpec("a", {"cpu": "4"}, {"x": "y"}), NodeSpec("b")],
        ),
        (["a", "b,cpu=1"], [NodeSpec("a"), NodeSpec("b", {"cpu": "1"})]),
    ],
)
def test_nodes_are_read_from_each_form(nodes: Any, expected: list[NodeSpec]) -> None:
    assert node_specs(nodes) == expected


@pytest.mark.parametrize(
    ("nodes", "problem"),
    [
        ("cpu=4", "names no node"),
        ("a,colour=red", "no setting 'colour'"),
        ("a,taint=x", "taint=x: KEY"),
        ("a,a", "two nodes have the name a"),
        ("A", "'A' is not the name of a node"),
        ("n{5..1}", "a range of at most 10000 nodes"),
        ("n{1..10000},m", "more than 10000 nodes"),
        (3, "describes no nodes"),
        ({"a": 3}, "is not a mapping"),
        ({"a": {"taints": 5}}, "taints: 5 is not a list"),
        ({"a": {"taints": [5]}}, "taints: 5 is neither a text nor a mapping"),
        ([{"kind": "Pod"}], "a manifest of a Node is expected"),
        ([{"kind": "Node", "metadata": {}}], "a manifest of a Node is not valid"),
        ("/nosuch.yaml", "cannot read /nosuch.yaml"),
    ],
)
def test_nodes_that_cannot_be_read_are_refused_with_one_line(nodes: Any, problem: str) -> None:
    with pytest.raises(DeviceError, match=problem):
        node_specs(nodes)
    with pytest.raises(ValueError, match=problem):
        FakeAPI(nodes=nodes, controllers="kubelet").start()


def test_a_range_has_at_most_the_named_number_of_nodes() -> None:
    assert len(node_specs(f"n{{1..{NODES_MAX}}}")) == NODES_MAX


def test_nodes_have_the_capacity_labels_taints_and_version_of_their_settings() -> None:
    nodes = "a,cpu=64,nvidia.com/gpu=2,label=zone=z1,taint=gpu=yes:NoSchedule,version=1.35.2;b"
    with FakeAPI(controllers="kubelet", nodes=nodes) as api:
        api.settle()
        node = api.get("Node", "a")
        assert node["metadata"]["labels"]["zone"] == "z1"
        assert node["spec"]["taints"] == [TAINT]
        assert node["status"]["capacity"]["cpu"] == node["status"]["allocatable"]["cpu"] == "64"
        assert node["status"]["allocatable"]["nvidia.com/gpu"] == "2"
        assert node["status"]["nodeInfo"]["kubeletVersion"] == "v1.35.2"
        assert api.get("Node", "b")["status"]["capacity"]["cpu"] == "8"


def test_node_manifests_of_a_file_get_kubelets(tmp_path: Path) -> None:
    file = tmp_path / "nodes.yaml"
    file.write_text(
        "kind: Node\napiVersion: v1\nmetadata: {name: a, labels: {x: y}}\nstatus: {capacity: {cpu: 2}}\n"
        "---\nkind: Node\napiVersion: v1\nmetadata: {name: b}\n"
    )
    with FakeAPI(controllers="kubelet", nodes=file) as api:
        api.settle()
        assert [node["metadata"]["name"] for node in api.list("Node")] == ["a", "b"]
        assert api.get("Node", "a")["status"]["capacity"]["cpu"] == "2"
        assert api.node("b").drivers == []


def test_addresses_of_many_nodes_and_pods_are_valid_and_differ() -> None:
    from ipaddress import ip_address

    from fakeapi.controllers.kubelet.addresses import NodeAddresses

    nodes = [NodeAddresses(number) for number in range(1, NODES_MAX + 1)]
    addresses = [node.node for node in nodes] + [node.of_pod("uid") for node in nodes]
    assert len({ip_address(address) for address in addresses}) == 2 * NODES_MAX
