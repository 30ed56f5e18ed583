"""Decides after which changes of objects the usage of ResourceQuotas must be recalculated.

Follows k8s.io/kubernetes `pkg/quota/v1/install/update_filter.go`. New and growing objects need no
recalculation, because admission adds their usage to the quota. Admission adds the usage before the server
stores the object: a recalculation at that moment would lose the added usage.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fakeapi.machinery.json_types import Object


def replenishes(group: str, plural: str, old: Object | None, new: Object | None) -> bool:
    """Whether the change of an object can reduce the usage that a ResourceQuota counts.

    - `group` and `plural`: the resource of the object.
    - `old`: the object before the change; None for a new object.
    - `new`: the object after the change; None for a deleted object.
    """
    if old is None:
        return False
    if new is None:
        return True
    followed = None if group else _FOLLOWED.get(plural)
    return followed is not None and followed(old) != followed(new)


def _of_pod(pod: Object) -> Any:
    status = pod.get("status") or {}
    statuses = [
        (container_status["name"], container_status.get("resources"))
        for field in ("containerStatuses", "initContainerStatuses")
        for container_status in status.get(field) or ()
    ]
    deadline = pod["spec"].get("activeDeadlineSeconds") is not None
    return deadline, status.get("phase") in ("Failed", "Succeeded"), statuses


def _of_service(service: Object) -> Any:
    return service["spec"].get("type")


def _of_claim(claim: Object) -> Any:
    status = claim.get("status") or {}
    modified = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    classes = (claim["spec"].get("volumeAttributesClassName"), modified)
    return status.get("allocatedResources"), *classes, status.get("currentVolumeAttributesClassName")


_FOLLOWED: Mapping[str, Callable[[Object], Any]] = {
    "pods": _of_pod,
    "services": _of_service,
    "persistentvolumeclaims": _of_claim,
}
