"""Evaluators: decide which ResourceQuotas apply to a write, and calculate the usage of objects.

Follows `pkg/quota/v1/generic` of k8s.io/apiserver, and `registry.go` and `services.go` in
`pkg/quota/v1/evaluator/core` of k8s.io/kubernetes.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from fakeapi.kinds.common.pod_resources import Resources
from fakeapi.machinery.errors import Qualified
from fakeapi.machinery.json_types import Object
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.objects import ClusterObjects
from fakeapi.releases import Release

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

_WRITES = (Operation.CREATE, Operation.UPDATE)
_ALIASES = ("configmaps", "resourcequotas", "replicationcontrollers", "secrets")
"""Resources that quotas count under two names, such as "count/secrets" and "secrets"."""
_SERVICES = ("count/services", "services", "services.nodeports", "services.loadbalancers")

ScopeSelector = dict[str, Any]
"""A ScopedResourceSelectorRequirement as decoded JSON."""


class Evaluator(Protocol):
    """Calculates the quota usage of the objects of one resource. The objects are in the internal version."""

    def handles(self, attributes: Attributes) -> bool:
        """Whether a write can change the usage of a ResourceQuota."""
        ...

    def counted(self, names: Iterable[str]) -> list[str]:
        """Returns the names in a quota's `hard` that apply to the resource. `names`: all names in `hard`."""
        ...

    def is_in_scope(self, selector: ScopeSelector, obj: Object) -> bool:
        """Whether an object matches a scope selector of a quota."""
        ...

    def unmet(self, required: list[str], obj: Object) -> str:
        """Returns an error if the object does not set an amount that a quota requires; "" if all are set.

        `required`: the names in the quota that apply to the resource.
        """
        ...

    def usage(self, obj: Object) -> Resources:
        """Returns the usage of an object by the names in quotas, such as "requests.cpu"."""
        ...


def evaluator_of(resource: "Resource", objects: ClusterObjects) -> Evaluator:
    """Returns the evaluator for the objects of a resource in the resource's release."""
    place = None
    match (resource.kind.group, resource.kind.resource):
        case ("", "services"):
            return Services()
        case ("", "pods"):
            place = "pods:Pods"
        case ("", "persistentvolumeclaims"):
            place = "volume_claims:VolumeClaims"
        case ("resource.k8s.io", "resourceclaims") if _counts_devices(resource.release):
            place = "device_claims:DeviceClaims"
    if place is None:
        return Count(resource.qualified)
    module, _, name = place.partition(":")
    evaluator: Evaluator = getattr(import_module(f"{__package__}.{module}"), name)(resource, objects)
    return evaluator


def _counts_devices(release: Release) -> bool:
    return release.quirks.quota_counts_devices and release.gates.enabled("DynamicResourceAllocation")


def count_name(resource: Qualified) -> str:
    """Returns the name under which a quota counts the objects of a resource, such as "count/jobs.batch"."""
    return f"count/{resource.name}.{resource.group}" if resource.group else f"count/{resource.name}"


class Count:
    """Counts the objects of a resource. Base class of all other evaluators."""

    def __init__(self, resource: Qualified) -> None:
        self._names = [count_name(resource)]
        if not resource.group and resource.name in _ALIASES:
            self._names.append(resource.name)

    def handles(self, attributes: Attributes) -> bool:
        return not attributes.subresource and attributes.operation is Operation.CREATE

    def counted(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self._names]

    def is_in_scope(self, selector: ScopeSelector, obj: Object) -> bool:
        return False

    def unmet(self, required: list[str], obj: Object) -> str:
        return ""

    def usage(self, obj: Object) -> Resources:
        return dict.fromkeys(self._names, "1")


class Services(Count):
    """Counts Services, load balancers and node ports."""

    def __init__(self) -> None:
        super().__init__(Qualified("", "services"))

    def handles(self, attributes: Attributes) -> bool:
        return not attributes.subresource and attributes.operation in _WRITES

    def counted(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in _SERVICES]

    def usage(self, obj: Object) -> Resources:
        spec = obj["spec"]
        ports, balancers, kind = spec.get("ports") or [], 0, spec.get("type")
        nodes = len(ports) if kind in ("NodePort", "LoadBalancer") else 0
        if kind == "LoadBalancer":
            balancers = 1
            if spec.get("allocateLoadBalancerNodePorts") is False:
                nodes = sum(1 for port in ports if port.get("nodePort"))
        amounts = (1, 1, nodes, balancers)
        return {name: str(amount) for name, amount in zip(_SERVICES, amounts, strict=True)}
