"""Creates PodGroups, devices and pods for the tests of PodGroups."""

from typing import Any

from fakeapi import FakeAPI
from tests.controllers.workloads.objects import Object

BETA = "scheduling.k8s.io/v1beta1"
DRIVER = "gpu.example.com"
CONTROLLERS = (
    "garbagecollector",
    "scheduler",
    "resourceclaim",
    "podgroup-protection",
    "devicetainteviction",
)


def server(**options: Any) -> FakeAPI:
    """Returns a server of 1.37 with PodGroups and their claims, but without a kubelet."""
    gates = {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}
    runtime = f"{BETA}=true"
    return FakeAPI(
        release="1.37", controllers=CONTROLLERS, feature_gates=gates, runtime_config=runtime, **options
    )


def add_node(api: FakeAPI, name: str, devices: int = 0, cpu: str = "8") -> None:
    """Creates a node, and a ResourceSlice with its devices."""
    amounts = {"cpu": cpu, "memory": "32Gi", "pods": "110"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
    created = api.create({**node, "status": {"capacity": amounts, "allocatable": amounts}})
    api.patch("Node", name, {"spec": {"taints": None}})
    api.patch("Node", name, {"status": {"capacity": amounts, "allocatable": amounts}}, subresource="status")
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {
        "driver": DRIVER,
        "nodeName": name,
        "pool": pool,
        "devices": [{"name": f"gpu-{number}"} for number in range(devices)],
    }
    if devices:
        kind = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice"}
        api.create({**kind, "metadata": {"name": f"slice-{name}"}, "spec": spec})
    assert created["metadata"]["name"] == name


def add_class(api: FakeAPI) -> None:
    """Creates the DeviceClass `gpu`, and the ResourceClaimTemplate `one` for one device."""
    kind = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}}
    api.create({**kind, "spec": {}})
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "one", "namespace": "default"},
        "spec": {"spec": {"devices": {"requests": requests}}},
    }
    api.create(template)


def group(name: str = "g", gang: int = 0, *, claims: bool = False) -> Object:
    """Returns a PodGroup. `gang`: the minCount; 0 for a PodGroup that is not a gang."""
    policy: Object = {"gang": {"minCount": gang}} if gang else {"basic": {}}
    spec: Object = {"schedulingPolicy": policy}
    if claims:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": BETA, "kind": "PodGroup", "metadata": metadata, "spec": spec}


def member(name: str, group_name: str = "g", *, claims: bool = False, cpu: str = "") -> Object:
    """Returns a pod of a PodGroup. `claims`: whether the pod has the claim `gpu` from the template `one`."""
    container: Object = {"name": "main", "image": "image"}
    if cpu:
        container["resources"] = {"requests": {"cpu": cpu}}
    spec: Object = {"containers": [container], "schedulingGroup": {"podGroupName": group_name}}
    if claims:
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimTemplateName": "one"}]
        container.setdefault("resources", {})["claims"] = [{"name": "gpu"}]
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def nodes_of(api: FakeAPI) -> dict[str, str]:
    """Waits until the controllers have settled; returns the node of each bound pod, by pod name."""
    api.settle()
    pods = api.list("Pod", namespace="default")
    bound = [pod for pod in pods if pod["spec"].get("nodeName")]
    return {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in bound}


def message_of(api: FakeAPI, name: str) -> str:
    """Returns the message of the condition PodScheduled of a pod."""
    api.settle()
    conditions = api.get("Pod", name, namespace="default")["status"].get("conditions") or ()
    return next((each.get("message", "") for each in conditions if each["type"] == "PodScheduled"), "")
