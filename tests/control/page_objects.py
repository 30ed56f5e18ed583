"""Objects that the tests of the live page create, and the names of the page's views."""

from typing import Any

GROUP = "resource.k8s.io/v1"
DRIVER = "gpu.example.com"
CLAIM: dict[str, Any] = {
    "apiVersion": GROUP,
    "kind": "ResourceClaim",
    "metadata": {"name": "gpu"},
    "spec": {"devices": {"requests": [{"name": "a", "exactly": {"deviceClassName": "gpu"}}]}},
}
ALLOCATION = {
    "devices": {"results": [{"request": "a", "driver": DRIVER, "pool": "node-1", "device": "gpu-0"}]}
}
CONSUMER = {"resource": "pods", "name": "trainer", "uid": "1"}
VIEWS = ("devices", "claims", "pending", "objects", "requests", "watches", "faults", "clock", "controllers")


def new_pod(name: str, claim: str = "gpu", node: str = "") -> dict[str, Any]:
    """Returns a pod. `claim`: "" for a pod without a claim. `node`: the node of the pod; "" for none."""
    spec: dict[str, Any] = {"containers": [{"name": "a", "image": "a"}]}
    if claim:
        spec["resourceClaims"] = [{"name": "a", "resourceClaimName": claim}]
    if node:
        spec["nodeName"] = node
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def new_slice(*devices: dict[str, Any]) -> dict[str, Any]:
    pool = {"name": "node-1", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": "node-1", "pool": pool, "devices": devices}
    return {"apiVersion": GROUP, "kind": "ResourceSlice", "metadata": {"name": "slice"}, "spec": spec}


def node(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}
