"""Quota usage of PersistentVolumeClaims: their number and storage, in total and by storage class.

Follows k8s.io/kubernetes `pkg/quota/v1/evaluator/core/persistent_volume_claims.go`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fakeapi.admission.plugins.resource_quota.evaluators import Count, ScopeSelector
from fakeapi.admission.plugins.resource_quota.pods import is_selected
from fakeapi.kinds.common.pod_resources import Resources
from fakeapi.kinds.core.storage_class_name import storage_class_name
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes, Operation
from fakeapi.registry.objects import ClusterObjects

if TYPE_CHECKING:
    from fakeapi.registry.model.resource import Resource

_COUNT, _CLAIMS, _STORAGE = "count/persistentvolumeclaims", "persistentvolumeclaims", "requests.storage"
_OF_CLASS = ".storageclass.storage.k8s.io/"


class VolumeClaims(Count):
    def __init__(self, resource: "Resource", objects: ClusterObjects) -> None:
        super().__init__(resource.qualified)
        release = resource.release
        self._follows_status = release.quirks.quota_follows_scopes
        self._recovers = release.gates.enabled("RecoverVolumeExpansionFailure")
        self._has_scope = release.quirks.quota_has_scope_of_volumes and release.gates.enabled(
            "VolumeAttributesClass"
        )

    def handles(self, attributes: Attributes) -> bool:
        if not attributes.subresource:
            return attributes.operation in (Operation.CREATE, Operation.UPDATE)
        if attributes.subresource != "status" or not self._follows_status:
            return False
        old = attributes.old
        assert old is not None, "a status has an old object"
        changed = _attributes_classes(attributes.new_object()) != _attributes_classes(old)
        return self._recovers or (self._has_scope and changed)

    def counted(self, names: Iterable[str]) -> list[str]:
        own, suffixes = (_COUNT, _CLAIMS, _STORAGE), (f"{_OF_CLASS}{_CLAIMS}", f"{_OF_CLASS}{_STORAGE}")
        return [name for name in names if name in own or name.endswith(suffixes)]

    def is_in_scope(self, selector: ScopeSelector, obj: Object) -> bool:
        if not self._has_scope or selector["scopeName"] != "VolumeAttributesClass":
            return False
        return is_selected(selector, sorted(_attributes_classes(obj)))

    def usage(self, obj: Object) -> Resources:
        amounts = {_COUNT: "1", _CLAIMS: "1"}
        name = storage_class_name(obj)
        if name:
            amounts[f"{name}{_OF_CLASS}{_CLAIMS}"] = "1"
        storage = self._storage(obj)
        if storage is not None:
            amounts[_STORAGE] = storage
            if name:
                amounts[f"{name}{_OF_CLASS}{_STORAGE}"] = storage
        return amounts

    def _storage(self, claim: Object) -> str | None:
        """Returns the requested storage of a PersistentVolumeClaim; None without a request for storage.

        With the gate RecoverVolumeExpansionFailure, returns the allocated storage if that amount is larger.
        """
        requested = ((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage")
        if requested is None:
            return None
        requested = quantity.rounded_up_to_whole(requested)
        has = ((claim.get("status") or {}).get("allocatedResources") or {}).get("storage")
        if self._recovers and has is not None and quantity.compare(has, requested) > 0:
            return quantity.rounded_up_to_whole(has)
        return requested


def _attributes_classes(claim: Object) -> set[str]:
    """Returns the names of the requested, current and target VolumeAttributesClasses of a claim."""
    status = claim.get("status") or {}
    target = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    names = (
        claim["spec"].get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        target,
    )
    return {name for name in names if name}
