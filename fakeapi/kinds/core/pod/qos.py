"""Computes the quality of service (QoS) class of a pod.

Follows k8s.io/kubernetes `pkg/apis/core/helper/qos`.
"""

from collections.abc import Iterable
from decimal import Decimal

from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.releases import Gates

BEST_EFFORT, BURSTABLE, GUARANTEED = "BestEffort", "Burstable", "Guaranteed"
_COUNTED = ("cpu", "memory")


def qos_class(spec: Object, gates: Gates) -> str:
    """Returns the QoS class of a pod: BestEffort, Burstable or Guaranteed.

    Ignores ephemeral containers.
    """
    resources = spec.get("resources")
    if resources is not None and gates.enabled("PodLevelResources") and _decides(resources, gates):
        return _class_of([resources])
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    return _class_of([container.get("resources") or {} for container in containers])


def _decides(resources: Object, gates: Gates) -> bool:
    """Whether pod-level resources determine the QoS class.

    While the gate PodLevelResourcesFixKubeletQOSClass is on, the resources must include cpu, memory or huge
    pages.
    """
    names = [*(resources.get("requests") or ()), *(resources.get("limits") or ())]
    says_something = any(name in _COUNTED or name.startswith("hugepages-") for name in names)
    return says_something or not gates.enabled("PodLevelResourcesFixKubeletQOSClass")


def _class_of(every: Iterable[Object]) -> str:
    requests: dict[str, Decimal] = {}
    limits: dict[str, Decimal] = {}
    limited = True
    for resources in every:
        _add_positive(requests, resources.get("requests") or {})
        limited = _add_positive(limits, resources.get("limits") or {}) == len(_COUNTED) and limited
    if not requests and not limits:
        return BEST_EFFORT
    return GUARANTEED if limited and requests == limits else BURSTABLE


def _add_positive(total: dict[str, Decimal], amounts: dict[str, str]) -> int:
    """Adds positive amounts of cpu and memory to `total`; returns the number of resources added."""
    count = 0
    for name in _COUNTED:
        amount = quantity.parse(amounts[name]).amount if name in amounts else Decimal(0)
        if amount > 0:
            total[name] = total.get(name, Decimal(0)) + amount
            count += 1
    return count
