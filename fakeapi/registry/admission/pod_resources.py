"""Sums the resources that a pod asks for, as quota and limit ranges count them.

Follows k8s.io/component-helpers `resource` (PodRequests, PodLimits) without the status of containers.
"""

from collections.abc import Callable, Iterable, Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

Resources = dict[str, str]
"""Quantities by the name of a resource."""

_OF_POD_LEVEL = ("cpu", "memory")
_OF_POD_LEVEL_PREFIX = "hugepages-"


def added(one: Mapping[str, str], other: Mapping[str, str]) -> Resources:
    """The sum of both, with the resources of either."""
    found = dict(one)
    for name, value in other.items():
        found[name] = quantity.add(found[name], value) if name in found else value
    return found


def greater(one: Mapping[str, str], other: Mapping[str, str]) -> Resources:
    """The greater of both for each resource of either."""
    found = dict(one)
    for name, value in other.items():
        if name not in found or quantity.compare(value, found[name]) > 0:
            found[name] = value
    return found


def pod_resources(
    pod: Object, member: str, *, pod_level: bool, of: Callable[[Object], Object] | None = None
) -> Resources:
    """The `requests` or `limits` of a pod: of its containers at once, or of the largest init container.

    `pod_level`: what the pod itself asks for counts instead, where the release has it. `of` gives the
    resources of a container, other than its spec's.
    """
    spec, total = pod["spec"], Resources()
    resources = of or _of_spec
    for container in spec.get("containers") or ():
        total = added(total, _member(resources(container), member))
    sidecars, largest = Resources(), Resources()
    for container in spec.get("initContainers") or ():
        own = _member(resources(container), member)
        if container.get("restartPolicy") == "Always":
            total, sidecars = added(total, own), added(sidecars, own)
            own = sidecars
        else:
            own = added(own, sidecars)
        largest = greater(largest, own)
    total = greater(total, largest)
    if pod_level:
        total |= _supported(_member(spec.get("resources") or {}, member).items())
    return total


def _of_spec(container: Object) -> Object:
    return container.get("resources") or {}


def _member(resources: Object, member: str) -> Resources:
    return resources.get(member) or {}


def _supported(items: Iterable[tuple[str, str]]) -> Resources:
    return {
        name: value for name, value in items if name in _OF_POD_LEVEL or name.startswith(_OF_POD_LEVEL_PREFIX)
    }
