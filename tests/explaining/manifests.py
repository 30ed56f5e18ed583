"""Creates the objects of explained clusters: nodes, slices, classes, claims and pods."""

from collections.abc import Sequence
from typing import Any

from fakeapi import FakeAPI

Object = dict[str, Any]

DRIVER = "gpu.example.com"


def node(api: FakeAPI, name: str, *, spec: Object | None = None, **allocatable: str) -> None:
    """Creates a ready Node without taints, with 8 CPUs, 32 Gi and 110 pods.

    - `spec`: further fields of the node's spec.
    - `allocatable`: amounts that replace or extend the defaults.
    """
    labels = {"kubernetes.io/hostname": name}
    api.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}})
    api.patch("Node", name, {"spec": {"taints": None, **(spec or {})}})
    amounts = {"cpu": "8", "memory": "32Gi", "pods": "110", **allocatable}
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": None, "lastTransitionTime": None}
    api.patch("Node", name, {"status": {"allocatable": amounts, "conditions": [ready]}}, subresource="status")


def device(name: str, memory: str = "16Gi", *, numa: int = 0, **more: Any) -> Object:
    """Returns a device with a model, a NUMA node and memory."""
    return {
        "name": name,
        "attributes": {"model": {"string": "a100"}, "numa": {"int": numa}},
        "capacity": {"memory": {"value": memory}},
        **more,
    }


def resource_slice(
    api: FakeAPI, where: str, devices: Sequence[Object] | None, *, driver: str = DRIVER, **spec: Any
) -> Object:
    """Creates a ResourceSlice with devices of the node `where`. The node's name is also the name of
    the pool.
    """
    name = spec.pop("name", f"{where}-{driver}")
    pool = {"name": where, "generation": 1, "resourceSliceCount": 1, **spec.pop("pool", {})}
    places = {"allNodes", "nodeSelector", "nodeName", "perDeviceNodeSelection"}
    place = {} if places & spec.keys() else {"nodeName": where}
    published = {"devices": [*devices]} if devices else {}
    return api.create({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {"driver": driver, "pool": pool, **published, **place, **spec},
    })  # fmt: skip


def device_class(api: FakeAPI, name: str = DRIVER, *expressions: str, **spec: Any) -> None:
    """Creates a DeviceClass. By default, it selects the devices of the driver DRIVER."""
    selectors = expressions or (f'device.driver == "{DRIVER}"',)
    api.create({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": name},
        "spec": {"selectors": [selector(one) for one in selectors], **spec},
    })  # fmt: skip


def selector(expression: str) -> Object:
    """Returns a CEL selector."""
    return {"cel": {"expression": expression}}


def request(name: str = "gpu", *expressions: str, class_name: str = DRIVER, **exactly: Any) -> Object:
    """Returns a request for devices of a class that match CEL expressions."""
    spec = {"deviceClassName": class_name, **exactly}
    if expressions:
        spec["selectors"] = [selector(one) for one in expressions]
    return {"name": name, "exactly": spec}


def claim(api: FakeAPI, name: str, *requests: Object, namespace: str = "default", **devices: Any) -> Object:
    """Creates a ResourceClaim, by default with one request for one device of the class DRIVER."""
    return api.create({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"devices": {"requests": [*requests] or [request()], **devices}},
    })  # fmt: skip


def pod(api: FakeAPI, name: str, *claims: str, namespace: str = "default", **spec: Any) -> Object:
    """Creates a pod that uses claims. `claims`: the names of the claims."""
    used = [{"name": f"c{number}", "resourceClaimName": one} for number, one in enumerate(claims)]
    containers = spec.pop("containers", [{"name": "main", "image": "train"}])
    return api.create({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": spec.pop("labels", {})},
        "spec": {"containers": containers, "resourceClaims": spec.pop("resourceClaims", used), **spec},
    })  # fmt: skip
