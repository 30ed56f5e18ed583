"""Requests and limits of a pod: sums over its containers, for defaults, validation and admission.

Follows AggregateContainerRequests, AggregateContainerLimits and PodRequests of k8s.io/component-helpers
`resource`, without the status of containers.
"""

from collections.abc import Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.validation.resource_names import HUGE_PAGES

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
    if pod_level:
        total |= {name: amount for name, amount in _amounts(spec, member).items() if is_pod_level(name)}
    return total


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
