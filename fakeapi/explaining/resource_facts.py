"""Explains why a pod exceeds the allocatable resources or the maximum number of pods of a node."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from fakeapi.controllers.scheduler.node_filters import Wants
from fakeapi.controllers.scheduler.node_state import NodeState, requests_of
from fakeapi.explaining.cluster_objects import reference
from fakeapi.explaining.harms import PODS_NAMED
from fakeapi.explaining.model import Change, listed
from fakeapi.explaining.node_offers import Fact, Offer, Shortage, new_node, recreated, without_pods
from fakeapi.machinery.json_types import Object

_PATH = "spec.containers[].resources.requests"


def resource_facts(wants: Wants, state: NodeState) -> Iterator[Fact]:
    """Yields a fact if the node already runs its maximum number of pods, and a fact for each insufficient
    resource.
    """
    if len(state.pods) + 1 > state.allocatable("pods"):
        limit = int(state.allocatable("pods"))
        text = f"node {state.name} runs {len(state.pods)} of at most {limit} pods"
        offers = [_larger(wants.pod, state, "pods", str(len(state.pods) + 1))]
        if state.pods:
            offers.append(without_pods(wants.pod, [state], state.pods[-1:], state.name))
        yield Fact("TooManyPods", "too many pods", text, "status.allocatable.pods", tuple(offers))
    for name, wanted in requests_of(wants.pod).items():
        if name in wants.by_class and not state.allocatable(name):
            continue
        total, used = state.allocatable(name), state.requested.get(name, Fraction(0))
        if wanted and wanted > total - used:
            yield _too_little(wants.pod, state, name, wanted)


def _too_little(pod: Object, state: NodeState, name: str, wanted: Fraction) -> Fact:
    total, used = state.allocatable(name), state.requested.get(name, Fraction(0))
    free, amount = amount_text(name, total - used), amount_text(name, wanted)
    has = f"{free} free of {amount_text(name, total)}"
    users: list[Object] = []
    offers: list[Offer] = []
    if total > used:
        less = f"a request of at most {free} {name}"
        offers.append(recreated(pod, less, _PATH, partial(_with_request, pod, name, free), free))
    if not total and "/" in name:
        has = "none"
        provide = f"a device plugin, or a DeviceClass with extendedResourceName {name}, must provide it"
        offers.append(Offer(Change(provide, "create")))
    elif wanted > total:
        offers.append(_larger(pod, state, name, amount))
    else:
        users = _largest(state, name)
        offers.append(without_pods(pod, [state], _enough(users, name, wanted - (total - used)), state.name))
    wants = f"the pod requests {amount} {name}"
    largest = [f"{reference('Pod', one)} {amount_text(name, requests_of(one)[name])}" for one in users]
    others = [f"{name} requests on node {state.name}: {listed(largest, PODS_NAMED)}"] if users else []
    return Fact(
        "Insufficient",
        f"insufficient {name}",
        f"{wants}, node {state.name} has {has}",
        _PATH,
        tuple(offers),
        tuple(reference("Pod", one) for one in users[:PODS_NAMED]),
        tuple(others),
        wants,
        has,
        Shortage(total - used, f"{amount} requested, at most {free} free"),
    )


def _larger(pod: Object, state: NodeState, name: str, amount: str) -> Offer:
    """Returns the offer to add a node with at least an amount of a resource."""
    status: Mapping[str, Object] = state.node["status"]

    def node() -> Object:
        allocatable = {**(status.get("allocatable") or {}), name: amount}
        return {**state.node, "status": {**status, "allocatable": allocatable}}

    return new_node(pod, state, f"add a node with at least {amount} {name}", node)


def _with_request(pod: Object, name: str, amount: str) -> Object:
    """Returns a copy of a pod's spec in which only the first container requests this amount."""
    spec = {**pod["spec"]}
    for field in ("containers", "initContainers"):
        if spec.get(field):
            spec[field] = [{**one, "resources": _without(one.get("resources"), name)} for one in spec[field]]
    first = spec["containers"][0]
    requests = {**(first["resources"].get("requests") or {}), name: amount}
    spec["containers"][0] = {**first, "resources": {**first["resources"], "requests": requests}}
    return spec


def _without(resources: Object | None, name: str) -> Object:
    return {
        part: {key: amount for key, amount in amounts.items() if key != name}
        if isinstance(amounts, dict)
        else amounts
        for part, amounts in (resources or {}).items()
    }


def amount_text(resource: str, amount: Fraction) -> str:
    """Returns an amount of a resource as in a manifest: cpu as "500m" or "1.5", memory as "1536Mi"."""
    if resource == "cpu":
        return f"{int(amount * 1000)}m" if 0 < amount < 1 else f"{int(amount * 1000) / 1000:g}"
    if resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-"):
        for unit, size in (("Gi", 1024**3), ("Mi", 1024**2), ("Ki", 1024)):
            if amount and amount % size == 0:
                return f"{int(amount / size)}{unit}"
    return str(int(amount))


def _largest(state: NodeState, resource: str) -> list[Object]:
    """Returns the pods on a node that request a resource; the largest request comes first."""
    pods = [pod for pod in state.pods if requests_of(pod).get(resource)]
    return sorted(pods, key=lambda pod: -requests_of(pod)[resource])


def _enough(pods: list[Object], resource: str, missing: Fraction) -> list[Object]:
    """Returns the smallest pod that frees the missing amount.

    If no single pod suffices, returns the largest pods, which together free the amount.

    `pods`: the pods that request the resource, the largest first.
    """
    alone = [pod for pod in pods if requests_of(pod)[resource] >= missing]
    if alone:
        return alone[-1:]
    chosen: list[Object] = []
    for pod in pods:
        chosen.append(pod)
        missing -= requests_of(pod)[resource]
        if missing <= 0:
            break
    return chosen
