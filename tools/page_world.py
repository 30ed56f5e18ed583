"""Clusters for looking at the live page: nodes, four drivers, claims and pods in all states.

`python -m tools.page_world` serves the small cluster. With `--large`, it serves a cluster of 500 nodes and
5,000 claims. `serve_problems` starts a cluster with faults and with parts that do not work.
"""

import argparse
import re
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException
from threading import Thread
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from fakeapi import FakeAPI, StatusError

GROUP = "resource.k8s.io/v1"
GPU, MIG, NIC, FPGA = "gpu.example.com", "mig.example.com", "nic.example.com", "fpga.example.com"
GPUS_PER_NODE = 8
LARGE_NODES = "node-{001..500}"
WATCHERS = 120
"""The number of watches of drivers in the large cluster."""
READY = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is ready"}


def small_world(api: FakeAPI) -> None:
    """Creates 12 nodes, 4 drivers, and 80 claims; the server's scheduler allocates most of them.

    `api`: a server with the controllers `scheduler` and `resourceclaim`.
    """
    nodes = [f"node-{number:02}" for number in range(1, 13)]
    _create_nodes(api, nodes)
    for driver in (GPU, MIG, NIC, FPGA):
        api.create(_class(driver))
    api.create(_class(GPU, name="gpu-80gi", selector='device.attributes["gpu.example.com"].memory == "80Gi"'))
    api.create_all([piece for node in nodes for piece in _slices(node)])
    for namespace in ("team-a", "team-b", "vision"):
        api.create_namespace(namespace)
    for number in range(80):
        _create_claim_and_pod(api, number)
    api.settle(60)
    running = 0
    for pod in api.list("Pod", namespace=None):
        if pod["spec"].get("nodeName") and running % 4 != 3:
            api.update_status({**pod, "status": _running(pod["status"])})
        running += bool(pod["spec"].get("nodeName"))
    _add_problems(api)


def large_world(api: FakeAPI) -> None:
    """Creates 5,000 claims with 520 pods, on a server with kubelets for LARGE_NODES and simulated drivers.

    The scheduler and the kubelets bring the claims into their states: prepared, reserved because the driver
    then fails to prepare claims, or pending because no node has enough devices or no pod uses the claim. Some
    devices are tainted, and three kubelets are silent.
    """
    api.create_namespace("team-a")
    _create_pods(api, "train", pods=450, claims=4)
    api.settle(200)
    driver = api.driver(GPU)
    driver.prepare(error="the firmware is locked")
    _create_pods(api, "infer", pods=50, claims=4)
    api.settle(100)
    for number in range(485, 497):
        driver.device("gpu-7", node=f"node-{number}").taint(f"{GPU}/recall")
    for number in (41, 187, 402):
        api.stop_node(f"node-{number:03}")
    _create_pods(api, "huge", pods=20, claims=1, count=9)
    api.create_all([_claim(f"batch-{number:04}", "team-a", GPU) for number in range(1, 2_981)])
    api.settle(200)


def _create_pods(api: FakeAPI, name: str, *, pods: int, claims: int, count: int = 1) -> None:
    """Creates pods in team-a, each with claims of its own. `count`: the number of devices of each claim."""
    objects = []
    for number in range(1, pods + 1):
        names = [f"{name}-{number:03}-{claim}" for claim in range(1, claims + 1)]
        objects += [_claim(each, "team-a", GPU, count=count) for each in names]
        objects.append(_pod(f"{name}-{number:03}", "team-a", *names))
    api.create_all(objects)


def _create_nodes(api: FakeAPI, names: list[str]) -> None:
    resources = {"cpu": "64", "memory": "512Gi", "pods": "110"}
    for number, name in enumerate(names):
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"zone-{number % 3}"}
        node = api.create(
            {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {}}
        )
        status = {"capacity": resources, "allocatable": resources, "conditions": [READY]}
        node = api.update_status({**node, "status": status})
        # Admission marks a new node as not ready until its node controller removes the taint.
        api.update({**node, "spec": {}})


def _slices(node: str) -> Iterator[dict[str, Any]]:
    gpus = [
        {
            "name": f"gpu-{number}",
            "attributes": {"productName": {"string": "H100"}, "memory": {"string": "80Gi"}},
        }
        for number in range(GPUS_PER_NODE)
    ]
    yield _slice(node, GPU, gpus)
    if int(node[-2:]) % 3 == 0:
        counters = {"memory": {"value": "80Gi"}, "slots": {"value": "7"}}
        partitions = [
            {
                "name": f"gpu-0-part-{number}",
                "attributes": {"productName": {"string": "1g.10gb"}},
                "consumesCounters": [
                    {
                        "counterSet": "gpu-0",
                        "counters": {"memory": {"value": "10Gi"}, "slots": {"value": "1"}},
                    }
                ],
            }
            for number in range(7)
        ]
        # The counters of a pool are in a separate slice.
        shared = [{"name": "gpu-0", "counters": counters}]
        yield _slice(node, MIG, [], name="counters", sharedCounters=shared)
        yield _slice(node, MIG, partitions, name="partitions")
    if int(node[-2:]) % 2 == 0:
        nics = [
            {
                "name": f"nic-{number}",
                "allowMultipleAllocations": True,
                "capacity": {
                    "bandwidth": {
                        "value": "100G",
                        "requestPolicy": {"default": "10G", "validRange": {"min": "10G"}},
                    }
                },
            }
            for number in range(2)
        ]
        yield _slice(node, NIC, nics)
    if int(node[-2:]) % 4 == 1:
        taint = {"key": "fpga.example.com/flashing", "value": "", "effect": "NoSchedule"}
        yield _slice(node, FPGA, [{"name": "fpga-0"}, {"name": "fpga-1", "taints": [taint]}])


def _slice(
    node: str, driver: str, devices: list[dict[str, Any]], *, name: str = "", **more: Any
) -> dict[str, Any]:
    """Returns a slice of the pool of a node.

    `name`: distinguishes the two slices of a pool; "" for the only slice of a pool.
    """
    pool = {"name": node, "generation": 1, "resourceSliceCount": 2 if name else 1}
    spec = {"driver": driver, "nodeName": node, "pool": pool, **more}
    return {
        "apiVersion": GROUP,
        "kind": "ResourceSlice",
        "metadata": {"name": f"{node}-{driver}-{name}".rstrip("-")},
        "spec": {**spec, "devices": devices} if devices else spec,
    }


def _class(driver: str, *, name: str = "", selector: str = "") -> dict[str, Any]:
    expression = f'device.driver == "{driver}"' + (f" && {selector}" if selector else "")
    return {
        "apiVersion": GROUP,
        "kind": "DeviceClass",
        "metadata": {"name": name or driver},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def _claim(name: str, namespace: str, device_class: str, *, count: int = 1) -> dict[str, Any]:
    request = {
        "name": re.split("[.-]", device_class)[0],
        "exactly": {"deviceClassName": device_class, "count": count},
    }
    return {
        "apiVersion": GROUP,
        "kind": "ResourceClaim",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"app": name.rpartition("-")[0] or name},
        },
        "spec": {"devices": {"requests": [request]}},
    }


def _pod(name: str, namespace: str, *claims: str) -> dict[str, Any]:
    """Returns a pod whose container uses all the claims. `claims`: the names of the claims."""
    names = ["device"] if len(claims) == 1 else [f"device-{number}" for number in range(1, len(claims) + 1)]
    resources = {"claims": [{"name": each} for each in names]}
    container = {"name": "main", "image": "train:1", "resources": resources}
    uses = [{"name": each, "resourceClaimName": claim} for each, claim in zip(names, claims, strict=True)]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name.rpartition("-")[0]}},
        "spec": {"containers": [container], "resourceClaims": uses},
    }


def _create_claim_and_pod(api: FakeAPI, number: int) -> None:
    namespace = ("team-a", "team-b", "vision")[number % 3]
    kinds = {0: ("train", GPU), 1: ("train", GPU), 2: ("infer", MIG), 3: ("stream", NIC), 4: ("encode", FPGA)}
    word, device_class = kinds[number % 5] if number % 20 != 19 else ("huge", "gpu-80gi")
    name = f"{word}-{number:02}"
    api.create(_claim(name, namespace, device_class, count=9 if word == "huge" else 1))
    if number % 16 != 15:
        api.create(_pod(name, namespace, name))


def _running(status: dict[str, Any]) -> dict[str, Any]:
    """Returns the status of a pod whose container runs."""
    ready = {"type": "Ready", "status": "True"}
    container = {"name": "main", "image": "train:1", "imageID": "", "restartCount": 0, "ready": True}
    container["state"] = {"running": {}}
    conditions = [*status.get("conditions", ()), ready]
    return {**status, "phase": "Running", "conditions": conditions, "containerStatuses": [container]}


def _add_problems(api: FakeAPI) -> None:
    """Makes one node unschedulable, and another node not ready."""
    cordoned = api.get("Node", "node-11")
    api.update({**cordoned, "spec": {**cordoned["spec"], "unschedulable": True}})
    broken = api.get("Node", "node-07")
    condition = {**READY, "status": "False", "reason": "KubeletNotReady", "message": "PLEG is not healthy"}
    api.update_status({**broken, "status": {**broken["status"], "conditions": [condition]}})


def serve(*, is_large: bool) -> FakeAPI:
    """Starts a server with the small or the large cluster. The drivers of the large cluster watch slices."""
    if not is_large:
        api = FakeAPI(release="1.36", controllers="scheduler,resourceclaim", history=200_000).start()
        small_world(api)
        return api
    drivers = {GPU: GPUS_PER_NODE, NIC: 2}
    api = FakeAPI(
        release="1.36", controllers="all", nodes=LARGE_NODES, drivers=drivers, history=200_000
    ).start()
    large_world(api)
    for number in range(1, WATCHERS + 1):
        Thread(target=_watch, args=(api.url, f"node-{number:03}"), daemon=True).start()
    return api


def serve_frozen() -> FakeAPI:
    """Starts a server with a frozen clock and a snapshot. Some objects have changed since the snapshot."""
    api = FakeAPI(release="1.36", nodes="node-1,node-2", drivers={GPU: 4}, controllers="all").start()
    _create_on(api, "train-1", GPU)
    api.settle()
    api.snapshot("before")
    _create_on(api, "train-2", GPU)
    api.delete("Pod", "train-1")
    api.settle()
    api.clock.freeze()
    api.clock.advance(90)
    return api


def _watch(url: str, node: str) -> None:
    """Watches the ResourceSlices of a node as its driver does, until the server stops."""
    query = urlencode({"watch": "true", "fieldSelector": f"spec.nodeName={node}"})
    address = f"{url}/apis/{GROUP}/resourceslices?{query}"
    request = Request(address, headers={"User-Agent": f"gpu-driver/v1.2 ({node})"})
    with suppress(OSError, HTTPException), urlopen(request) as response:
        response.read()


def serve_problems() -> FakeAPI:
    """Starts a server with armed faults and with objects that wait or fail for many reasons.

    A driver cannot prepare claims, a kubelet is silent, a node is cordoned, a quota refuses pods, and a claim
    and a namespace wait for finalizers.
    """
    nodes = "node-1,node-2,node-3,node-4"
    api = FakeAPI(release="1.36", nodes=nodes, drivers={GPU: 4, NIC: 2}, controllers="all").start()
    for number in range(6):
        _create_on(api, f"infer-{number}", GPU, f"node-{3 + number % 2}")
    api.settle()
    api.stop_node("node-4")
    api.update(_with_spec(api.get("Node", "node-3"), unschedulable=True))
    api.driver(GPU).prepare(error="the firmware is locked")
    for number in (1, 2):
        _create_on(api, f"train-{number}", GPU)
    kept = _claim("archived", "default", NIC)
    kept["metadata"]["finalizers"] = ["example.com/keep"]
    api.create(kept)
    api.delete("ResourceClaim", "archived")
    api.create_namespace("old-team")
    metadata = {"name": "settings", "namespace": "old-team", "finalizers": ["example.com/keep"]}
    api.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    api.delete("Namespace", "old-team")
    api.settle()
    _create_short_deployment(api)
    api.settle()
    api.faults.conflict("resourceclaims/status", times=2)
    api.faults.throttle("list pods", retry_after=5)
    with suppress(StatusError):
        api.update_status(api.get("ResourceClaim", "infer-0"))
    return api


def _create_on(api: FakeAPI, name: str, driver: str, node: str = "") -> None:
    """Creates a pod with a claim. `node`: the name of its node; "" for any node."""
    pod = _pod(name, "default", name)
    if node:
        pod["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
    api.create_all([_claim(name, "default", driver), pod])


def _with_spec(obj: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Returns a copy of an object with these fields in its spec."""
    return {**obj, "spec": {**obj["spec"], **fields}}


def _create_short_deployment(api: FakeAPI) -> None:
    """Creates a Deployment with five pods in a namespace whose quota allows two pods."""
    api.create_namespace("web")
    place = {"namespace": "web"}
    hard = {"pods": "2"}
    quota = {"kind": "ResourceQuota", "metadata": {"name": "small", **place}, "spec": {"hard": hard}}
    api.create({"apiVersion": "v1", **quota})
    api.settle()
    labels = {"app": "shop"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "shop:1"}]}}
    spec = {"replicas": 5, "selector": {"matchLabels": labels}, "template": pod}
    deployment = {"kind": "Deployment", "metadata": {"name": "shop", **place}, "spec": spec}
    api.create({"apiVersion": "apps/v1", **deployment})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="500 nodes and 5,000 claims")
    api = serve(is_large=parser.parse_args().large)
    try:
        input(f"{api.page}\nPress Enter to stop. ")
    finally:
        api.stop()


if __name__ == "__main__":
    main()
