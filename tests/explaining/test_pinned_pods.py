"""The explanation of a pod that allows only a few nodes begins with these nodes."""

from collections.abc import Iterator
from typing import Any

import pytest

from fakeapi import FakeAPI
from tests.explaining.manifests import DRIVER, Object, claim, device, node, pod, resource_slice
from tests.explaining.situations import cluster

HOSTNAME = "kubernetes.io/hostname"
NIC = "nic.example.com"


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    gates = "DRADeviceTaints=true,DRADeviceTaintRules=true"
    with FakeAPI(release="1.36", controllers="scheduler,resourceclaim", feature_gates=gates) as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server


def _affinity(operator: str, *values: str) -> Object:
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": operator, "values": [*values]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    return {"nodeAffinity": required}


def _tainted(name: str) -> Object:
    return device(name, taints=[{"key": "recall", "effect": "NoSchedule"}])


def _cordon(api: FakeAPI, *names: str) -> None:
    for name in names:
        api.patch("Node", name, {"spec": {"unschedulable": True}})


def test_the_only_node_of_a_node_selector_is_named_before_the_other_nodes(api: FakeAPI) -> None:
    for name in "abcd":
        node(api, name)
    _cordon(api, "d")
    pod(api, "train", nodeSelector={HOSTNAME: "d"})
    why = api.explain("pod", "train")
    assert why.summary == "nodeSelector allows only d; d is cordoned (spec.unschedulable)"
    first, other = why.reasons
    assert (first.code, first.nodes) == ("NodeUnschedulable", ["d"])
    assert first.details == [f"nodeSelector wants {HOSTNAME}=d, which excludes 3 other nodes"]
    assert [(one.text, one.sufficient) for one in first.changes] == [("uncordon node d", True)]
    assert (other.code, other.nodes) == ("NodeSelector", ["a", "b", "c"])


@pytest.mark.parametrize(
    ("affinity", "allowed"),
    [(_affinity("In", "d"), "d"), (_affinity("NotIn", "a", "b"), "c, d")],
)
def test_the_nodes_of_a_node_affinity_are_named_before_the_other_nodes(
    api: FakeAPI, affinity: Object, allowed: str
) -> None:
    for name in "abcd":
        node(api, name)
    _cordon(api, *allowed.split(", "))
    pod(api, "train", affinity=affinity)
    summary = api.explain("pod", "train").summary
    verb = "d is" if allowed == "d" else "2 nodes are refused:"
    end = " (spec.unschedulable)"
    assert summary == f"node affinity allows only {allowed}; {verb} cordoned{end}"


def test_a_node_selector_for_most_nodes_does_not_begin_the_explanation(api: FakeAPI) -> None:
    for name in "abcd":
        node(api, name)
    _cordon(api, *"abc")
    pod(api, "train", affinity=_affinity("NotIn", "d"))
    assert "allows only" not in api.explain("pod", "train").text


def test_another_hostname_of_a_node_is_the_last_change(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), nodes="ab")
    resource_slice(api, "b", [device("nic-0")], driver=NIC)
    claim(api, "gpu")
    pod(api, "train", "gpu", nodeSelector={HOSTNAME: "b"})
    why = api.explain("pod", "train")
    assert why.summary == f"nodeSelector allows only b; b has no device of class {DRIVER}"
    again, _ = why.reasons[0].changes
    field = "in spec.nodeSelector"
    assert (
        again.text == f"delete the pod and create it again with {HOSTNAME}=a instead of {HOSTNAME}=b {field}"
    )
    assert again.sufficient
    labels = [one for reason in why.reasons for one in reason.changes if one.path == "metadata.labels"]
    assert [(one.text, one.sufficient) for one in labels] == [(f"label node a {HOSTNAME}=b", True)]
    assert why.reasons[1].changes[-1] is labels[0]


def test_another_node_and_a_toleration_are_offered_together(api: FakeAPI) -> None:
    cluster(api, _tainted("gpu-0"), nodes="abc")
    resource_slice(api, "b", [device("nic-0")], driver=NIC)
    claim(api, "gpu")
    pod(api, "train", "gpu", nodeSelector={HOSTNAME: "b"})
    head, *others = api.explain("pod", "train").reasons
    assert head.text == f"nodeSelector allows only b; b has no device of class {DRIVER}"
    change, add = head.changes
    assert (change.action, change.node, change.sufficient, len(change.steps)) == ("all", "a", True, 2)
    assert add.action == "add"
    again, tolerate = change.steps
    assert change.text == f"{again.text}, and {tolerate.text}"
    assert again.value == f"{HOSTNAME}=a"
    assert tolerate.path == "spec.devices.requests[0].exactly.tolerations"
    assert not any(one.sufficient for reason in others for one in reason.changes)
    _apply(api, again.value, [{"key": "recall", "operator": "Exists"}])
    assert api.get("Pod", "train")["spec"]["nodeName"] == "a"


def _apply(api: FakeAPI, selector: str, tolerations: list[Any]) -> None:
    """Creates the pod and its claim again, with another nodeSelector and tolerations of device taints."""
    api.delete("Pod", "train")
    api.delete("ResourceClaim", "gpu")
    api.settle()
    request = {"deviceClassName": DRIVER, "tolerations": tolerations}
    claim(api, "gpu", {"name": "gpu", "exactly": request})
    key, _, value = selector.partition("=")
    pod(api, "train", "gpu", nodeSelector={key: value})
    api.settle()
