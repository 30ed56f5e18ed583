"""The kubelet sets the status of pods with readiness gates or deadlines, and of rejected pods."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

pytest.importorskip("grpc", reason="the extra node is not installed")

from fakeapi import FakeAPI
from tests.controllers.kubelet.frozen_pod import create_pod, status


@pytest.fixture
def api() -> Iterator[FakeAPI]:
    with FakeAPI(release="1.37", controllers="kubelet", frozen_at="2026-01-31T12:00:00Z") as server:
        server.settle()
        yield server


def condition(api: FakeAPI, kind: str) -> dict[str, Any]:
    return next(each for each in status(api)["conditions"] if each["type"] == kind)


def report(api: FakeAPI, kind: str, value: str) -> None:
    conditions = [{"type": kind, "status": value}]
    api.patch("Pod", "pod", {"status": {"conditions": conditions}}, type="strategic", subresource="status")


def test_a_pod_is_ready_when_all_of_its_readiness_gates_are_true(api: FakeAPI) -> None:
    gates = ["example.com/a", "example.com/b"]
    create_pod(api, readinessGates=[{"conditionType": each} for each in gates])
    assert status(api)["phase"] == "Running"
    ready = condition(api, "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ReadinessGatesNotReady")
    assert condition(api, "ContainersReady")["status"] == "True"
    report(api, gates[0], "True")
    report(api, gates[1], "False")
    assert condition(api, "Ready")["message"] == (
        'the status of pod readiness gate "example.com/b" is not "True", but False'
    )
    report(api, gates[1], "True")
    ready = condition(api, "Ready")
    assert ready["status"] == "True"
    assert "reason" not in ready
    report(api, gates[0], "Unknown")
    assert condition(api, "Ready")["status"] == "False"


def test_a_pod_fails_at_its_deadline_also_at_one_that_is_set_later(api: FakeAPI) -> None:
    create_pod(api)
    api.patch("Pod", "pod", {"spec": {"activeDeadlineSeconds": 60}})
    api.settle()
    api.clock.advance(59)
    assert status(api)["phase"] == "Running"
    api.clock.advance(1)
    pod_status = status(api)
    assert (pod_status["phase"], pod_status["reason"]) == ("Failed", "DeadlineExceeded")
    assert pod_status["message"] == "Pod was active on the node longer than the specified deadline"
    assert pod_status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 137
    assert condition(api, "Ready")["reason"] == "PodFailed"


def create_other(api: FakeAPI, **spec: Any) -> None:
    container: dict[str, Any] = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "7"}}}
    container["ports"] = [{"containerPort": 80, "hostPort": 80}]
    spec = {"nodeName": "node", "containers": [container], **spec}
    api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"}, "spec": spec})
    api.settle()


def container(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "c", "image": "i", **fields}]}


REFUSED = {
    "PodOSNotSupported": (
        {"os": {"name": "windows"}},
        "Failed to admit pod as the OS field doesn't match node OS",
    ),
    "OutOfcpu": (
        container(resources={"requests": {"cpu": "1001m"}}),
        "Node didn't have enough resource: cpu, requested: 1001, used: 7000, capacity: 8000",
    ),
    "NodePorts": (
        container(ports=[{"containerPort": 81, "hostPort": 80}]),
        "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    ),
    "NodeAffinity": (
        {"nodeSelector": {"disk": "ssd"}},
        "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_pod_that_its_node_cannot_take_is_rejected(api: FakeAPI, reason: str) -> None:
    create_other(api)
    spec, message = REFUSED[reason]
    create_pod(api, **spec)
    pod_status = status(api)
    assert (pod_status["phase"], pod_status["reason"]) == ("Failed", reason)
    assert pod_status["message"] == f"Pod was rejected: {message}"
    [event] = [each for each in api.list("Event", api_version="v1") if each["reason"] == reason]
    assert (event["type"], event["message"]) == ("Warning", message)
    assert api.get("Pod", "other")["status"]["phase"] == "Running"


def test_a_pod_that_leaves_a_tainted_node_cannot_come_back(api: FakeAPI) -> None:
    taint = {"key": "gone", "effect": "NoExecute"}
    api.patch("Node", "node", {"spec": {"taints": [taint]}})
    create_pod(api)
    assert status(api)["reason"] == "TaintToleration"
    create_other(api, tolerations=[{"key": "gone", "operator": "Exists"}])
    assert api.get("Pod", "other")["status"]["phase"] == "Running"


def test_the_lease_of_a_node_goes_with_the_node(api: FakeAPI) -> None:
    lease = api.get("Lease", "node", namespace="kube-node-lease")
    uid = api.get("Node", "node")["metadata"]["uid"]
    assert lease["metadata"]["ownerReferences"] == [
        {"apiVersion": "v1", "kind": "Node", "name": "node", "uid": uid}
    ]


def test_pods_get_the_extended_resources_that_a_node_is_given_and_no_longer_those_that_it_loses(
    api: FakeAPI,
) -> None:
    def allocatable() -> dict[str, str]:
        api.settle()
        amounts: dict[str, str] = api.get("Node", "node")["status"]["allocatable"]
        return {name: amount for name, amount in amounts.items() if name == "example.com/beard"}

    for amount in ("1k", "2k", None):
        capacity = {"status": {"capacity": {"example.com/beard": amount}}}
        api.patch("Node", "node", capacity, subresource="status")
        assert allocatable() == ({"example.com/beard": amount} if amount else {})


def test_the_status_of_a_pod_tells_of_which_generation_it_is(api: FakeAPI) -> None:
    create_pod(api)
    assert (status(api)["observedGeneration"], condition(api, "Ready")["observedGeneration"]) == (1, 1)
    assert [each["observedGeneration"] for each in status(api)["conditions"]] == [1] * 5
    image = [{"op": "replace", "path": "/spec/containers/0/image", "value": "j"}]
    api.patch("Pod", "pod", image, type="json")
    assert (status(api)["observedGeneration"], condition(api, "Ready")["observedGeneration"]) == (2, 2)
    report(api, "Ready", "False")
    image[0]["value"] = "k"
    api.patch("Pod", "pod", image, type="json")
    assert status(api)["observedGeneration"] == 3
    assert condition(api, "Ready")["status"] == "False"


KUBELETS = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"]


@pytest.mark.parametrize(
    ("release", "gates", "kinds", "tells"),
    [
        ("1.27", {}, KUBELETS[1:], False),
        ("1.28", {}, KUBELETS[1:], False),
        ("1.28", {"PodReadyToStartContainersCondition": True}, KUBELETS, False),
        ("1.33", {}, KUBELETS, False),
        ("1.33", {"PodObservedGenerationTracking": True}, KUBELETS, True),
        ("1.34", {}, KUBELETS, True),
        ("1.34", {"PodObservedGenerationTracking": False}, KUBELETS, False),
        ("1.37", {}, KUBELETS, True),
    ],
)
def test_the_kubelet_tells_the_generation_in_its_conditions_and_a_binding_does_not(
    release: str,
    gates: dict[str, bool],
    kinds: list[str],
    tells: bool,  # noqa: FBT001 - a table's column
) -> None:
    with FakeAPI(release=release, feature_gates=gates, controllers="kubelet") as api:
        api.settle()
        create_pod(api, nodeName=None)
        binding = {"metadata": {"name": "pod"}, "target": {"kind": "Node", "name": "node"}}
        bound = {"apiVersion": "v1", "kind": "Binding", **binding}
        with httpx.Client(base_url=api.url) as http:
            before = http.get("/api/v1/namespaces/default/pods").json()["metadata"]["resourceVersion"]
            http.post("/api/v1/namespaces/default/pods/pod/binding", json=bound).raise_for_status()
            watch = {"watch": "true", "resourceVersion": before, "timeoutSeconds": "1"}
            first = http.get("/api/v1/namespaces/default/pods", params=watch).text.splitlines()[0]
        [scheduled] = json.loads(first)["object"]["status"]["conditions"]
        assert (scheduled["type"], "observedGeneration" in scheduled) == ("PodScheduled", False)
        conditions = status(api)["conditions"]
        assert [each["type"] for each in conditions] == kinds
        assert ["observedGeneration" in each for each in conditions] == [tells] * len(kinds)
        assert condition(api, "PodScheduled")["lastTransitionTime"] == scheduled["lastTransitionTime"]


def test_a_pod_that_cannot_start_says_that_its_init_containers_have_not_run(api: FakeAPI) -> None:
    claim = {"name": "gpu", "resourceClaimName": "gpu"}
    create_pod(api, initContainers=[{"name": "i", "image": "i"}], resourceClaims=[claim])
    initialized = condition(api, "Initialized")
    assert (initialized["status"], initialized["reason"]) == ("False", "ContainersNotInitialized")
    assert initialized["message"] == "containers with incomplete status: [i]"
