"""Fills a server with a large cluster of nodes with devices, and claims with pods. Some pods wait."""

from typing import Any

from benchmarks.claims import MERGE, encoded
from benchmarks.load import checked, request
from benchmarks.verbs import CONNECTIONS

NODES = 500
DEVICES = 8
"""Number of devices of each node. Running pods use all of them."""

CLAIMS = 5_000
"""Number of claims, and of pods: each pod has a claim. The pods without a device wait."""

USED = NODES * DEVICES
DRIVER = "gpu.example.com"
_DRA = "/apis/resource.k8s.io/v1"
_TEAM = "namespaces/team"
_AMOUNTS = {"cpu": "64", "memory": "512Gi", "pods": "110"}
_MESSAGE = (
    f"0/{NODES} nodes are available: {NODES} cannot allocate all claims. still not schedulable, preemption: "
    f"0/{NODES} nodes are available: {NODES} Preemption is not helpful for scheduling."
)


async def fill(port: int) -> None:
    """Creates the cluster in a server that runs no controllers and serves resource.k8s.io/v1.

    Raises AssertionError if the server refuses an object.
    """
    expression = {"cel": {"expression": f'device.driver == "{DRIVER}"'}}
    device_class = {"metadata": {"name": "gpu"}, "spec": {"selectors": [expression]}}
    await checked(port, lambda _: _create(f"{_DRA}/deviceclasses", device_class), 1, 1)
    await checked(port, lambda _: _create("/api/v1/namespaces", {"metadata": {"name": "team"}}), 1, 1)
    for count, make in (
        (NODES, lambda n: _create("/api/v1/nodes", {"metadata": {"name": _node(n)}})),
        (NODES, lambda n: _merge(f"/api/v1/nodes/{_node(n)}", {"spec": {"taints": None}})),
        (NODES, lambda n: _merge(f"/api/v1/nodes/{_node(n)}/status", {"status": _node_status()})),
        (NODES, lambda n: _create(f"{_DRA}/resourceslices", _slice(n))),
        (CLAIMS, lambda n: _create(f"{_DRA}/{_TEAM}/resourceclaims", _claim(n))),
        (CLAIMS, lambda n: _create(f"/api/v1/{_TEAM}/pods", _pod(n))),
        (USED, lambda n: _merge(f"{_DRA}/{_TEAM}/resourceclaims/claim-{n:04}/status", _allocation(n))),
        (CLAIMS, lambda n: _merge(f"/api/v1/{_TEAM}/pods/pod-{n:04}/status", {"status": _pod_status(n)})),
    ):
        await checked(port, make, count, CONNECTIONS)


def _create(path: str, obj: dict[str, Any]) -> bytes:
    return request("POST", path, encoded(obj))


def _merge(path: str, patch: dict[str, Any]) -> bytes:
    return request("PATCH", path, encoded(patch), MERGE)


def _node(number: int) -> str:
    return f"node-{number % NODES:03}"


def _node_status() -> dict[str, Any]:
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is ready"}
    return {"capacity": _AMOUNTS, "allocatable": _AMOUNTS, "conditions": [ready]}


def _slice(number: int) -> dict[str, Any]:
    name = _node(number)
    devices = [
        {
            "name": f"gpu-{n}",
            "attributes": {"model": {"string": "h100"}, "driverVersion": {"version": "1.2.3"}},
            "capacity": {"memory": {"value": "80Gi"}},
        }
        for n in range(DEVICES)
    ]
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": DRIVER, "nodeName": name, "pool": pool, "devices": devices}
    return {"metadata": {"name": f"slice-{number:03}"}, "spec": spec}


def _claim(number: int) -> dict[str, Any]:
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu"}}]
    return {"metadata": {"name": f"claim-{number:04}"}, "spec": {"devices": {"requests": requests}}}


def _allocation(number: int) -> dict[str, Any]:
    device = f"gpu-{number // NODES}"
    result = {"request": "gpu", "driver": DRIVER, "pool": _node(number), "device": device}
    consumer = {"resource": "pods", "name": f"pod-{number:04}", "uid": f"uid-{number}"}
    return {"status": {"allocation": {"devices": {"results": [result]}}, "reservedFor": [consumer]}}


def _pod(number: int) -> dict[str, Any]:
    resources = {"requests": {"cpu": "1", "memory": "1Gi"}, "claims": [{"name": "gpu"}]}
    claims = [{"name": "gpu", "resourceClaimName": f"claim-{number:04}"}]
    container = {"name": "main", "image": "registry.example.com/train", "resources": resources}
    place = {"nodeName": _node(number)} if number < USED else {}
    spec = {"containers": [container], "resourceClaims": claims, **place}
    return {"metadata": {"name": f"pod-{number:04}"}, "spec": spec}


def _pod_status(number: int) -> dict[str, Any]:
    if number < USED:
        return {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    waits = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": _MESSAGE}
    return {"phase": "Pending", "conditions": [waits]}
