"""Totals of what the containers of a pod ask for.

Follows `AggregateContainerRequests` and `AggregateContainerLimits` of k8s.io/component-helpers `resource`.
"""

from collections.abc import Mapping

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity

Amounts = dict[str, str]


def container_totals(spec: Object, kind: str) -> Amounts:
    """The `requests` or `limits` of all containers, by resource.

    Containers and sidecars add up; what an init container needs beside the sidecars that were started before
    it is held against the sum.
    """
    total: Amounts = {}
    for container in spec.get("containers") or ():
        total = _sum(total, _amounts(container, kind))
    sidecars: Amounts = {}
    initial: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _amounts(container, kind)
        if container.get("restartPolicy") == "Always":
            total = _sum(total, own)
            sidecars = _sum(sidecars, own)
            own = sidecars
        else:
            own = _sum(own, sidecars)
        initial = _largest(initial, own)
    return _largest(total, initial)


def _amounts(container: Object, kind: str) -> Mapping[str, str]:
    amounts: Mapping[str, str] = (container.get("resources") or {}).get(kind) or {}
    return amounts


def _sum(one: Mapping[str, str], other: Mapping[str, str]) -> Amounts:
    total = dict(one)
    for name, amount in other.items():
        total[name] = quantity.add(total[name], amount) if name in total else amount
    return total


def _largest(one: Mapping[str, str], other: Mapping[str, str]) -> Amounts:
    total = dict(one)
    for name, amount in other.items():
        if name not in total or quantity.compare(amount, total[name]) > 0:
            total[name] = amount
    return total
