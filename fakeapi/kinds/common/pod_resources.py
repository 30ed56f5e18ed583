"""Sums up the requests and limits of a pod's containers, for defaults, validation and admission.

Follows AggregateContainerRequests, AggregateContainerLimits and PodRequests of k8s.io/component-helpers
`resource`, but ignores the status of containers.
"""

from collections.abc import Mapping

from fakeapi.kinds.common.resource_names import HUGE_PAGES
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

Resources = dict[str, str]
"""Quantities as text, by resource name."""


def is_pod_level(name: str) -> bool:
    """Whether the pod-level `resources` of a pod may contain the resource."""
    return name in ("cpu", "memory") or name.startswith(HUGE_PAGES)


def container_totals(spec: Object, member: str) -> Resources:
    """Returns the total requests or limits of a pod's containers, by resource.

    `member`: "requests" or "limits". The amount of each resource is the greater of:

    - the sum over all containers and sidecars
    - the largest sum of an init container and the sidecars before it
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
    """Returns the total requests or limits of a pod's containers, by resource.

    - `member`: "requests" or "limits"
    - `pod_level`: whether the amounts in the pod-level `resources` take precedence
    """
    total = container_totals(spec, member)
    return total | pod_level_amounts(spec, member) if pod_level else total


def pod_level_amounts(spec: Object, member: str) -> Resources:
    """Returns the amounts in the pod-level `resources` of a pod spec.

    Contains only cpu, memory and huge pages, because other pod-level resources are not valid.

    `member`: "requests" or "limits"
    """
    return {name: amount for name, amount in _amounts(spec, member).items() if is_pod_level(name)}


def claimed_resources(pod: Object) -> Resources:
    """Returns the node's resources that a pod uses through ResourceClaims, according to the pod's status.

    - The status of 1.36 contains sums (`resources`).
    - The status of 1.37 contains the resources to which devices map (`mapping`). The status also contains an
      `overhead` for the pod and for each container that uses the claim.
    """
    total = Resources()
    for status in pod["status"].get("nodeAllocatableResourceClaimStatuses") or ():
        total = added(total, status.get("resources") or {})
        total = added(
            total, {mapping["name"]: mapping["quantity"] for mapping in status.get("mapping") or ()}
        )
        users = len(status.get("containers") or ())
        for overhead in status.get("overhead") or ():
            total = added(total, {overhead["name"]: overhead_of(overhead, users)})
    return total


def overhead_of(overhead: Object, containers: int) -> str:
    """Returns the overhead of a claim: `perPod` once, and `perContainer` for each container.

    `containers`: the number of containers that use the claim
    """
    total = "0"
    if overhead.get("perPod") is not None:
        total = quantity.add(total, overhead["perPod"])
    if overhead.get("perContainer") is not None and containers:
        total = quantity.add(total, quantity.multiply(overhead["perContainer"], str(containers)))
    return total


def added(one: Mapping[str, str], other: Mapping[str, str]) -> Resources:
    """Adds the amounts of each resource. A resource that only one mapping contains keeps its amount."""
    total = dict(one)
    for name, amount in other.items():
        total[name] = quantity.add(total[name], amount) if name in total else amount
    return total


def greater(one: Mapping[str, str], other: Mapping[str, str]) -> Resources:
    """Returns the greater of two amounts for each resource.

    A resource that only one mapping contains keeps its amount.
    """
    larger = dict(one)
    for name, amount in other.items():
        if name not in larger or quantity.compare(amount, larger[name]) > 0:
            larger[name] = amount
    return larger


def _amounts(owner: Object, member: str) -> Mapping[str, str]:
    """Returns the requests or limits in the `resources` of a container or of a pod spec.

    `member`: "requests" or "limits", the name of the field
    """
    amounts: Mapping[str, str] = (owner.get("resources") or {}).get(member) or {}
    return amounts
