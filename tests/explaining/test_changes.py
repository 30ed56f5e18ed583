"""The scheduler places a pod after a change that an explanation calls sufficient, and not after other
changes.
"""

import json
import random
from typing import Any

import pytest

from fakeapi import FakeAPI
from fakeapi.explaining.explanation import Explanation
from fakeapi.explaining.model import Change, Reference
from tests.explaining.manifests import (
    DRIVER,
    Object,
    claim,
    device,
    device_class,
    node,
    pod,
    request,
    resource_slice,
)

SEEDS = range(16)
NODES = "ab"


def _build(api: FakeAPI, seed: int) -> None:
    """Creates a random cluster in which the pod train probably waits for devices."""
    chance = random.Random(seed)
    device_class(api)
    for name in NODES:
        node(api, name)
        published = []
        for number in range(chance.randint(1, 4)):
            taints = [{"key": "hot", "effect": "NoSchedule"}] if chance.random() < 0.2 else []
            memory = chance.choice(("16Gi", "80Gi"))
            published.append(device(f"gpu-{number}", memory, numa=chance.randint(0, 1), taints=taints))
        resource_slice(api, name, published)
    for number in range(chance.randint(0, 3)):
        claim(api, f"used-{number}", request(count=chance.randint(1, 2)))
        pod(api, f"user-{number}", f"used-{number}")
        api.settle()
        if not api.get("Pod", f"user-{number}")["spec"].get("nodeName"):
            _delete(api, Reference("Pod", f"user-{number}", "default"))
    big = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'
    requests = [
        request(f"r{number}", *([big] if chance.random() < 0.4 else []), count=chance.randint(1, 3))
        for number in range(chance.randint(1, 2))
    ]
    devices: dict[str, Any] = {}
    if chance.random() < 0.4:
        devices["constraints"] = [{"matchAttribute": f"{DRIVER}/numa"}]
    claim(api, "gpu", *requests, **devices)
    pod(api, "train", "gpu")
    api.settle()


def _apply(api: FakeAPI, change: Change) -> None:
    """Applies a change to the cluster as its fields describe."""
    if change.action == "all":
        for step in change.steps:
            _apply(api, step)
    elif change.action == "delete":
        for one in change.objects:
            _delete(api, one)
    elif change.objects and change.objects[0].kind == "ResourceSlice":
        _untaint(api, change)
    elif change.action == "add":
        _add_devices(api, change)
    else:
        _edit(api, change)
    api.settle()


def _delete(api: FakeAPI, one: Reference) -> None:
    path = {"Pod": "/api/v1/namespaces/default/pods"}.get(
        one.kind, "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
    )
    api.request("DELETE", f"{path}/{one.name}", {"gracePeriodSeconds": 0})
    api.settle()
    if one.kind == "Pod":  # a claim without a pod keeps its devices until it is deleted
        api.delete("ResourceClaim", one.name.replace("user", "used"))


def _untaint(api: FakeAPI, change: Change) -> None:
    for one in change.objects:
        known = api.get("ResourceSlice", one.name)
        devices = [{**device, "taints": None} for device in known["spec"]["devices"]]
        api.patch("ResourceSlice", one.name, {"spec": {"devices": devices}})


def _add_devices(api: FakeAPI, change: Change) -> None:
    like = change.like.rpartition("/")[2]
    known = api.get("ResourceSlice", f"{change.node}-{DRIVER}")
    model = next(one for one in known["spec"]["devices"] if one["name"] == like)
    new = [{**model, "name": f"new-{number}", "taints": []} for number in range(change.count)]
    if change.path:
        assert (change.path, change.value) == (f'device.capacity["{DRIVER}"].memory', ">= 40Gi")
        new = [{**one, "capacity": {"memory": {"value": "40Gi"}}} for one in new]
    name = f"new-{len(api.list('ResourceSlice'))}"
    resource_slice(api, change.node, new, name=name, pool={"name": name})


def _edit(api: FakeAPI, change: Change) -> None:
    """Replaces the claim and the pod by new objects with the changed spec of the claim."""
    old = api.get("ResourceClaim", "gpu")
    spec: Any = json.loads(json.dumps(old["spec"]))
    *path, last = _steps(change.path)
    at = spec
    for step in path:
        at = at[step]
    if last == "count":
        at["count"] = change.count
    elif last == "tolerations":
        at["tolerations"] = [{"key": "hot", "operator": "Exists"}]
    elif last == "expression":
        at[last] = change.value
    else:
        del at[last]
    api.delete("Pod", "train")
    api.delete("ResourceClaim", "gpu")
    api.settle()
    api.create({**_identity(old), "spec": spec})
    pod(api, "train", "gpu")


def _identity(obj: Object) -> Object:
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "metadata": {"name": obj["metadata"]["name"], "namespace": obj["metadata"]["namespace"]},
    }


def _steps(path: str) -> list[Any]:
    steps: list[Any] = []
    for part in path.removeprefix("spec.").split("."):
        name, _, index = part.partition("[")
        steps += [name, int(index.rstrip("]"))] if index else [name]
    return steps


def _is_placed(api: FakeAPI) -> bool:
    return bool(api.get("Pod", "train")["spec"].get("nodeName"))


def _explain_waiting_pod(api: FakeAPI, seed: int) -> Explanation:
    """Builds the cluster of a seed, and explains the pod. A placed pod has no changes to test."""
    api.reset()
    _build(api, seed)
    return api.explain("pod", "train")


@pytest.fixture(scope="module")
def api() -> Any:
    gates = {"DRADeviceTaints": True}
    controllers = "scheduler,resourceclaim"
    with FakeAPI(release="1.36", feature_gates=gates, controllers=controllers, seed=1) as server:
        yield server


@pytest.mark.parametrize("seed", SEEDS)
def test_the_scheduler_places_the_pod_after_a_sufficient_change(api: FakeAPI, seed: int) -> None:
    why = _explain_waiting_pod(api, seed)
    assert (why.verdict == "placed") == _is_placed(api)
    changes = [change for reason in why.reasons for change in reason.changes if change.sufficient]
    if why.verdict == "pending":
        assert changes, why.text
    for change in changes[:4]:
        _explain_waiting_pod(api, seed)
        _apply(api, change)
        assert _is_placed(api), (change.text, why.text)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_pod_still_waits_after_a_pod_without_blame_ends(api: FakeAPI, seed: int) -> None:
    why = _explain_waiting_pod(api, seed)
    blamed = {one.name for reason in why.reasons for one in reason.blame if one.kind == "Pod"}
    blamed |= {one.name for reason in why.reasons for change in reason.changes for one in change.objects}
    others = [one["metadata"]["name"] for one in api.list("Pod") if one["metadata"]["name"] != "train"]
    for name in [other for other in others if other not in blamed and why.verdict == "pending"]:
        _explain_waiting_pod(api, seed)
        _delete(api, Reference("Pod", name, "default"))
        api.settle()
        assert not _is_placed(api), (name, why.text)
