"""Usage of resource claims: their number, and the devices that they ask for by class.

Follows k8s.io/kubernetes `pkg/quota/v1/evaluator/core/resource_claims.go`.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fakeapi.admission.plugins.resource_quota.evaluators import Count, count_name
from fakeapi.admission.plugins.resource_quota.pods import (
    CLASS_PREFIX,
    REQUESTS,
    Pods,
    is_extended_for_quota,
)
from fakeapi.kinds.common.pod_resources import Resources
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.objects import ClusterObjects

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

OF_CLASS = ".deviceclass.resource.k8s.io/devices"
ALL_DEVICES = 32
"""What a request for all devices counts for: as many results as an allocation can have."""

EXTENDED_CLAIM = "resource.kubernetes.io/extended-resource-claim"
_GROUP = "resource.k8s.io"


class DeviceClaims(Count):
    def __init__(self, resource: "Resource", objects: ClusterObjects) -> None:
        super().__init__(resource.qualified)
        self._count = count_name(resource.qualified)
        self._objects = objects
        release = resource.release
        pods = objects.find("", "v1", "pods")
        self._pods = None if pods is None else Pods(pods, objects)
        self._extended = release.quirks.quota_counts_extended_devices and release.gates.enabled(
            "DRAExtendedResource"
        )
        self._one_claim = release.quirks.quota_exempts_one_claim_of_a_pod

    def handles(self, attributes: Attributes) -> bool:
        return not attributes.subresource and attributes.operation in (Operation.CREATE, Operation.UPDATE)

    def counted(self, names: Iterable[str]) -> list[str]:
        extended = self._extended_for_quota() if self._extended else frozenset()
        return [name for name in names if name == self._count or name.endswith(OF_CLASS) or name in extended]

    def _extended_for_quota(self) -> frozenset[str]:
        """The extended resources that stand for classes, as quotas name them."""
        classes = (each["metadata"]["name"] for each in self._objects.list(_GROUP, "deviceclasses"))
        names = (*self._extended_names().values(), *(f"{CLASS_PREFIX}{name}" for name in classes))
        quotas = (f"{REQUESTS}{name}" for name in names)
        return frozenset(name for name in quotas if is_extended_for_quota(name, class_names=True))

    def _extended_names(self) -> dict[str, str]:
        """The extended resources that classes stand for, by the name of the class."""
        return {
            each["metadata"]["name"]: each["spec"]["extendedResourceName"]
            for each in self._objects.list(_GROUP, "deviceclasses")
            if each["spec"].get("extendedResourceName") is not None
        }

    def usage(self, obj: Object) -> Resources:
        devices: dict[str, int] = {}
        for request in (obj["spec"].get("devices") or {}).get("requests") or ():
            for name, number in _devices(request).items():
                devices[name] = devices.get(name, 0) + number
        found = {self._count: "1"} | {f"{name}{OF_CLASS}": str(number) for name, number in devices.items()}
        return found | self._extended_usage(obj, devices) if self._extended else found

    def _extended_usage(self, claim: Object, devices: Mapping[str, int]) -> Resources:
        """The extended resources of a claim that are not counted with its pod."""
        names, of_pod = self._extended_names(), self._usage_of_pod(claim)
        found: Resources = {}
        for name, number in devices.items():
            if not name:
                continue
            for each in (f"{CLASS_PREFIX}{name}", names.get(name, "")):
                if not each:
                    continue
                left = quantity.subtract(str(number), of_pod.get(f"{REQUESTS}{each}", "0"))
                if quantity.compare(left, "0") > 0:
                    found[f"{REQUESTS}{each}"] = left
        return found

    def _usage_of_pod(self, claim: Object) -> Resources:
        """What the pod uses that the scheduler made the claim for; nothing where the pod knows another."""
        owner, meta = _pod_owner(claim), claim["metadata"]
        if owner is None or self._pods is None:
            return {}
        pod = self._objects.get("", "pods", meta.get("namespace", ""), owner["name"])
        if pod is None or pod["metadata"]["uid"] != owner["uid"]:
            return {}
        known = (pod.get("status") or {}).get("extendedResourceClaimStatus")
        if known is not None and known.get("resourceClaimName") != meta.get("name"):
            return {}
        if known is None and self._one_claim and self._has_earlier_claim(claim, owner["uid"]):
            return {}
        return self._pods.usage(pod)

    def _has_earlier_claim(self, claim: Object, uid: str) -> bool:
        order = _age(claim)
        claims = self._objects.list(_GROUP, "resourceclaims", claim["metadata"].get("namespace", ""))
        return any(
            (owner := _pod_owner(each)) is not None and owner["uid"] == uid and _age(each) < order
            for each in claims
        )


def _devices(request: Mapping[str, Any]) -> dict[str, int]:
    """The devices that a request can be given, by class; of its alternatives the most of each class."""
    alternatives = request.get("firstAvailable") or ()
    if not alternatives and request.get("exactly") is not None:
        alternatives = (request["exactly"],)
    found: dict[str, int] = {}
    for each in alternatives:
        name, mode = each.get("deviceClassName", ""), each.get("allocationMode")
        number = {"ExactCount": each.get("count", 0), "All": ALL_DEVICES}.get(mode, 0)
        found[name] = max(number, found.get(name, 0))
    return found


def _pod_owner(claim: Object) -> Mapping[str, Any] | None:
    """The pod that controls a claim which the scheduler made for extended resources."""
    meta = claim["metadata"]
    if (meta.get("annotations") or {}).get(EXTENDED_CLAIM) != "true":
        return None
    owners: list[Mapping[str, Any]] = meta.get("ownerReferences") or []
    owner = next((each for each in owners if each.get("controller")), None)
    if owner is None or (owner.get("kind"), owner.get("apiVersion")) != ("Pod", "v1"):
        return None
    return owner


def _age(claim: Object) -> tuple[str, str]:
    meta = claim["metadata"]
    return meta.get("creationTimestamp") or "", meta.get("name", "")
