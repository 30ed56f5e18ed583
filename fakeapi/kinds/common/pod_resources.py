"""Requests and limits of a pod: sums over its containers, for defaults, validation and admission.

Follows AggregateContainerRequests, AggregateContainerLimits and PodRequests of k8s.io/component-helpers
`resource`, without the status of containers.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.resource_names import HUGE_PAGES
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

Resources = dict[str, str]
"""Quantities by the name of a resource."""


def is_pod_level(name: str) -> bool:
    """Whether a pod as a whole can ask for the resource."""
    return name in ("cpu", "memory") or name.startswith(HUGE_PAGES)


def container_totals(spec: Object, member: str) -> Resources:
    """The `requests` or `limits` of all containers, by resource.

    Containers and sidecars add up. An init container counts with the sidecars started before it, and only
    where that is more than the sum.
    """
    total, sidecars, largest = Resources(), Resources(), Resources()
    for container in spec.get("containers") or ():
        total = added(total, _amounts(container, member))
    for container in spec.get("initContainers") or ():
        own = _amounts(container, member)
        if container.get("restartPolicy") == "Always":
            total, sidecars = added(total, own), added(sidecars, own)
            own = sidecars
        else:
            own = added(own, sidecars)
        largest = greater(largest, own)
    return greater(total, largest)


def pod_totals(spec: Object, member: str, *, pod_level: bool) -> Resources:
    """`container_totals`, in place of which the pod's own amounts stand with `pod_level`."""
    total = container_totals(spec, member)
    return total | pod_level_amounts(spec, member) if pod_level else total


def pod_level_amounts(spec: Object, member: str) -> Resources:
    """The amounts that the pod as a whole asks for."""
    return {name: amount for name, amount in _amounts(spec, member).items() if is_pod_level(name)}


def claimed_resources(pod: Object) -> Resources:
    """The node's resources that the pod takes through its claims, as its status tells.

    Status of 1.36 has sums (`resources`), that of 1.37 what devices stand for (`mapping`) and need beside it
    (`overhead`), once for each pod and once for each container that names the claim.
    """
    total = Resources()
    for status in pod["status"].get("nodeAllocatableResourceClaimStatuses") or ():
        total = added(total, status.get("resources") or {})
        total = added(total, {each["name"]: each["quantity"] for each in status.get("mapping") or ()})
        users = len(status.get("containers") or ())
        for each in status.get("overhead") or ():
            total = added(total, {each["name"]: overhead_of(each, users)})
    return total


def overhead_of(overhead: Object, containers: int) -> str:
    """The sum of a claim's overhead for a pod: once for the pod, and once for each container that uses it."""
    found = "0"
    if overhead.get("perPod") is not None:
        found = quantity.add(found, overhead["perPod"])
    if overhead.get("perContainer") is not None and containers:
        found = quantity.add(found, quantity.multiply(overhead["perContainer"], str(containers)))
    return found


def added(one: Mapping[str, str], other: Mapping[str, str]) -> Resources:
    """The sum of both, with the resources of either."""
    found = dict(one)
    for name, amount in other.items():
        found[name] = quantity.add(found[name], amount) if name in found else amount
    return found


def greater(one: Mapping[str, str], other: Mapping[str, str]) -> Resources:
    """The greater of both for each resource of either."""
    found = dict(one)
    for name, amount in other.items():
        if name not in found or quantity.compare(amount, found[name]) > 0:
            found[name] = amount
    return found


def _amounts(owner: Object, member: str) -> Mapping[str, str]:
    """The `requests` or `limits` of a container or of a pod's spec."""
    amounts: Mapping[str, str] = (owner.get("resources") or {}).get(member) or {}
    return amounts
