"""Quota usage of ResourceClaims: their number, and the number of requested devices by DeviceClass.

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
"""The number of devices that a quota charges for a request of all devices: the maximum for one allocation."""

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
        """Returns the quota names of DeviceClasses' extended resources, like "requests.example.com/gpu"."""
        classes = (
            device_class["metadata"]["name"] for device_class in self._objects.list(_GROUP, "deviceclasses")
        )
        names = (*self._extended_names().values(), *(f"{CLASS_PREFIX}{name}" for name in classes))
        quotas = (f"{REQUESTS}{name}" for name in names)
        return frozenset(name for name in quotas if is_extended_for_quota(name, class_names=True))

    def _extended_names(self) -> dict[str, str]:
        """Returns the extendedResourceName of DeviceClasses, by class name.

        Omits classes without this field.
        """
        return {
            device_class["metadata"]["name"]: device_class["spec"]["extendedResourceName"]
            for device_class in self._objects.list(_GROUP, "deviceclasses")
            if device_class["spec"].get("extendedResourceName") is not None
        }

    def usage(self, obj: Object) -> Resources:
        devices = devices_of(obj)
        amounts = {self._count: "1"} | {f"{name}{OF_CLASS}": str(number) for name, number in devices.items()}
        return amounts | self._extended_usage(obj, devices) if self._extended else amounts

    def _extended_usage(self, claim: Object, devices: Mapping[str, int]) -> Resources:
        """Returns the usage of extended resources by a ResourceClaim.

        Subtracts the usage of the claim's pod, because quotas already count the requests of the pod.
        `devices`: the number of requested devices, by DeviceClass.
        """
        names, of_pod = self._extended_names(), self._usage_of_pod(claim)
        amounts: Resources = {}
        for name, number in devices.items():
            if not name:
                continue
            for resource in (f"{CLASS_PREFIX}{name}", names.get(name, "")):
                if not resource:
                    continue
                left = quantity.subtract(str(number), of_pod.get(f"{REQUESTS}{resource}", "0"))
                if quantity.compare(left, "0") > 0:
                    amounts[f"{REQUESTS}{resource}"] = left
        return amounts

    def _usage_of_pod(self, claim: Object) -> Resources:
        """Returns the quota usage of a ResourceClaim's pod, if the scheduler created the claim for the pod.

        The scheduler creates a claim for the extended resources of a pod. Returns {} for all other claims.
        """
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
            (owner := _pod_owner(other)) is not None and owner["uid"] == uid and _age(other) < order
            for other in claims
        )


def devices_of(claim: Object) -> Mapping[str, int]:
    """Returns the number of devices that a quota charges for a ResourceClaim, by DeviceClass."""
    devices: dict[str, int] = {}
    for request in (claim["spec"].get("devices") or {}).get("requests") or ():
        for name, number in _devices(request).items():
            devices[name] = devices.get(name, 0) + number
    return devices


def _devices(request: Mapping[str, Any]) -> dict[str, int]:
    """Returns the maximum number of devices that a device request may get, by the name of the DeviceClass."""
    alternatives = request.get("firstAvailable") or ()
    if not alternatives and request.get("exactly") is not None:
        alternatives = (request["exactly"],)
    devices: dict[str, int] = {}
    for alternative in alternatives:
        name, mode = alternative.get("deviceClassName", ""), alternative.get("allocationMode")
        number = {"ExactCount": alternative.get("count", 0), "All": ALL_DEVICES}.get(mode, 0)
        devices[name] = max(number, devices.get(name, 0))
    return devices


def _pod_owner(claim: Object) -> Mapping[str, Any] | None:
    """Returns the owner reference to the pod, if the scheduler created the claim for extended resources.

    Returns None for other claims.
    """
    meta = claim["metadata"]
    if (meta.get("annotations") or {}).get(EXTENDED_CLAIM) != "true":
        return None
    owners: list[Mapping[str, Any]] = meta.get("ownerReferences") or []
    owner = next((reference for reference in owners if reference.get("controller")), None)
    if owner is None or (owner.get("kind"), owner.get("apiVersion")) != ("Pod", "v1"):
        return None
    return owner


def _age(claim: Object) -> tuple[str, str]:
    meta = claim["metadata"]
    return meta.get("creationTimestamp") or "", meta.get("name", "")
