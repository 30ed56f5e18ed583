"""Explanations name the object that causes a reason, and the change at this object."""

from collections.abc import Iterator

import pytest

from fakeapi import FakeAPI
from fakeapi.clients.errors import StatusError
from fakeapi.explaining.cluster_objects import ClusterObjects
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.namespaces import namespace_reason
from fakeapi.releases import served
from fakeapi.releases.rules import rules_of
from tests.explaining.manifests import DRIVER, claim, device, device_class, node, pod, request, resource_slice
from tests.explaining.situations import ALL_GATES, cluster, train

TAINT = {"key": "recall", "value": "yes", "effect": "NoSchedule"}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeAPI]:
    controllers = "scheduler,resourceclaim,namespace"
    with FakeAPI(release="1.36", controllers=controllers, feature_gates=ALL_GATES) as api:
        yield api


@pytest.fixture
def api(server: FakeAPI) -> FakeAPI:
    server.reset()
    return server


def _is_placed(api: FakeAPI) -> bool:
    api.settle()
    return bool(api.get("Pod", "train")["spec"].get("nodeName"))


def test_the_rule_that_taints_a_device_is_named_and_its_deletion_suffices(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    spec = {"deviceSelector": {"driver": DRIVER}, "taint": TAINT}
    api.create({
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "recall"},
        "spec": spec,
    })  # fmt: skip
    train(api)
    reason = api.explain("pod", "train").reasons[0]
    assert "1 device: tainted: recall=yes:NoSchedule of DeviceTaintRule recall" in reason.details
    change = reason.changes[-1]
    assert (change.text, change.action, change.sufficient) == (
        "delete DeviceTaintRule recall",
        "delete",
        True,
    )
    assert change.harm == "it lifts the taint for all pods, on all devices that the rule selects"
    assert not any(one.action == "add" for one in reason.changes)  # the rule would taint a new device too
    api.delete("DeviceTaintRule", "recall")
    assert _is_placed(api)


def test_the_slice_that_taints_a_device_is_named(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", taints=[TAINT]))
    train(api)
    reason = api.explain("pod", "train").reasons[0]
    texts = [one.text for one in reason.changes if one.sufficient]
    assert f"remove the taint recall=yes:NoSchedule from slice a-{DRIVER}" in texts


def test_an_incomplete_pool_is_the_reason_beside_devices_of_other_drivers(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    device_class(api, "dpu", 'device.driver == "dpu.example.com"')
    resource_slice(api, "a", [device("dpu-0")], driver="dpu.example.com", pool={"resourceSliceCount": 2})
    train(api, request(class_name="dpu"))
    why = api.explain("pod", "train")
    assert why.summary == "request gpu: pool dpu.example.com/a is incomplete: 1 of 2 slices of generation 1"
    (change,) = why.reasons[0].changes
    which = "let driver dpu.example.com publish all 2 slices of pool a with generation 1"
    assert change.text == f"{which}; if it does not, restart its pod on node a"
    assert change.sufficient


def test_capacity_is_wanted_by_the_pod_and_consumed_by_others(api: FakeAPI) -> None:
    cluster(api, device("gpu-0", allowMultipleAllocations=True))
    claim(api, "other", request(capacity={"requests": {"memory": "10Gi"}}))
    pod(api, "other-user", "other")
    api.settle()
    train(api, request(capacity={"requests": {"memory": "8Gi"}}))
    used = (
        "capacity memory: 8Gi wanted, 6Gi of 16Gi left; 10Gi consumed by claim default/other (pod other-user)"
    )
    assert f"1 device: {used}" in api.explain("pod", "train").reasons[0].details


def test_a_deleted_pod_of_a_node_that_does_not_exist_is_ended_by_force(api: FakeAPI) -> None:
    node(api, "a")
    pod(api, "train", nodeName="gone")
    api.request("DELETE", "/api/v1/namespaces/default/pods/train", {"gracePeriodSeconds": 30})
    why = api.explain("pod", "train")
    assert (why.verdict, why.summary) == ("deleting", "node gone does not exist")
    (change,) = why.reasons[0].changes
    assert change.sufficient
    api.request("DELETE", "/api/v1/namespaces/default/pods/train", {"gracePeriodSeconds": 0})
    with pytest.raises(StatusError, match="404"):
        api.get("Pod", "train")


def test_a_namespace_names_the_objects_that_hold_it(api: FakeAPI) -> None:
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "old"}})
    claim(api, "kept", namespace="old")
    api.patch("ResourceClaim", "kept", {"metadata": {"finalizers": ["example.com/keep"]}}, namespace="old")
    api.delete("Namespace", "old")
    api.settle()
    why = api.explain("namespace", "old")
    reason = why.reasons[0]
    assert why.summary == "waits for claim old/kept with finalizer example.com/keep"
    assert [str(one) for one in reason.blame] == ["claim old/kept"]
    assert reason.changes[0].text.startswith(
        "remove example.com/keep from metadata.finalizers of claim old/kept"
    )


def _namespace_with_a_config_map(api: FakeAPI) -> Explanation:
    api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "old"}})
    metadata = {"name": "keep", "namespace": "old", "finalizers": ["backup.example.com/done"]}
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    api.delete("Namespace", "old")
    api.settle()
    return api.explain("namespace", "old")


def test_an_object_of_any_kind_that_holds_a_namespace_is_named(api: FakeAPI) -> None:
    why = _namespace_with_a_config_map(api)
    assert why.summary == "waits for ConfigMap old/keep with finalizer backup.example.com/done"
    assert (str(why.reasons[0].object), why.reasons[0].path) == ("ConfigMap old/keep", "metadata.finalizers")
    assert not any("resource instances" in line for line in why.reasons[0].details)
    (change,) = why.reasons[0].changes
    assert change.text.startswith(
        "remove backup.example.com/done from metadata.finalizers of ConfigMap old/keep"
    )
    api.patch("ConfigMap", "keep", {"metadata": {"finalizers": None}}, namespace="old")
    api.settle()
    assert api.explain("namespace", "old").verdict == "missing"


def test_the_conditions_of_a_namespace_count_the_objects_of_a_real_cluster(api: FakeAPI) -> None:
    _namespace_with_a_config_map(api)
    namespace = api.get("Namespace", "old")
    cluster = ClusterObjects(rules_of(served("1.36", "", "").primary), {"namespaces": [namespace]}, 0)
    reason = namespace_reason(cluster, namespace)
    assert reason.text == "waits for 1 configmap with finalizer backup.example.com/done"
    wait, remove = reason.changes
    assert (wait.action, remove.action) == ("wait", "edit")
    assert wait.text == (
        "let the controller of backup.example.com finish its cleanup and remove backup.example.com/done"
    )
    assert "kubectl get configmaps -n old" in remove.text
    assert remove.harm == "this skips the cleanup that the finalizer waits for"


def test_a_refused_admin_access_names_the_label_of_the_namespace(api: FakeAPI) -> None:
    with pytest.raises(StatusError):
        claim(api, "gpu", request(adminAccess=True))
    (change,) = api.explain("claim", "gpu").reasons[0].changes
    label = "resource.kubernetes.io/admin-access=true"
    assert change.text == f"label namespace default {label}, and create the object again"


def test_a_class_says_how_many_devices_its_driver_publishes(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    device_class(api, "vpu", 'device.driver == "vpu.example.com"')
    train(api)
    api.settle()
    assert api.explain("class", DRIVER).details == [
        f'selectors[0]: device.driver == "{DRIVER}"',
        f"driver {DRIVER} publishes 1 device, 1 in use",
        "node a: 1 device, 1 in use",
        "1 claim names the class",
    ]
    assert "driver vpu.example.com publishes no devices" in api.explain("class", "vpu").details


def test_a_slice_and_a_node_say_which_devices_are_in_use(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    train(api)
    api.settle()
    used = "in use by claim default/gpu (pod train)"
    assert api.explain("slice", f"a-{DRIVER}").details == [
        f"driver {DRIVER}, pool a, generation 1",
        "for node a",
        "1 device, 1 in use",
        f'{DRIVER}/a/gpu-0: model "a100", numa 0, memory 16Gi; {used}',
    ]
    assert api.explain("node", "a").details == [
        "Ready: True",
        "labels: kubernetes.io/hostname=a",
        "1 pod",
        "cpu: 8 free of 8",
        "memory: 32Gi free of 32Gi",
        f"driver {DRIVER} publishes 1 device, 1 in use",
    ]


def test_a_taint_rule_says_which_devices_it_taints(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"), device("gpu-1"))
    api.create({
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "recall"},
        "spec": {"deviceSelector": {"driver": DRIVER, "device": "gpu-1"}, "taint": TAINT},
    })  # fmt: skip
    taint, selector, count, only = api.explain("devicetaintrule", "recall").details
    assert taint == "taint: recall=yes:NoSchedule"
    assert sorted(selector.removeprefix("deviceSelector: ").split(", ")) == [
        "device gpu-1",
        f"driver {DRIVER}",
    ]
    assert (count, only.partition(":")[0]) == ("1 device", f"{DRIVER}/a/gpu-1")


def test_a_taint_rule_without_a_device_selector_taints_no_device(api: FakeAPI) -> None:
    cluster(api, device("gpu-0"))
    api.create({
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "recall"},
        "spec": {"taint": TAINT},
    })  # fmt: skip
    assert api.explain("devicetaintrule", "recall").details == [
        "taint: recall=yes:NoSchedule",
        "deviceSelector: missing, so the rule selects no devices",
        "no devices",
    ]
    train(api)
    assert _is_placed(api)
