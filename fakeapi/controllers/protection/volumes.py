"""Controllers that protect PersistentVolumeClaims, PersistentVolumes and VolumeAttributesClasses in use.

Follow k8s.io/kubernetes `pkg/controller/volume/pvcprotection`, `pvprotection` and `vacprotection`.
"""

from collections.abc import Iterable, Iterator

from fakeapi.admission.plugins.storage_object_in_use_protection import FINALIZERS
from fakeapi.controllers.protection.controller import ProtectionController
from fakeapi.machinery.json_types import Object


class PersistentVolumeClaimProtectionController(ProtectionController):
    name = "persistentvolumeclaim-protection"
    plural = "persistentvolumeclaims"
    finalizer = FINALIZERS["persistentvolumeclaims"]
    agent = "pvc-protection-controller"
    user_plurals = ("pods",)

    def keys_used_by(self, user: Object) -> Iterable[str]:
        return (f"{user['metadata']['namespace']}/{name}" for name, _ in _claims_of(user))

    def is_used(self, obj: Object) -> bool:
        """Whether a pod with a node uses the claim.

        Ignores pods without a node, because a kubelet does not start a pod if its claim is being deleted.
        """
        namespace = obj["metadata"]["namespace"]
        return any(
            pod["metadata"]["namespace"] == namespace and pod["spec"].get("nodeName") and _uses(pod, obj)
            for pod in self.users
        )


class PersistentVolumeProtectionController(ProtectionController):
    name = "persistentvolume-protection"
    plural = "persistentvolumes"
    finalizer = FINALIZERS["persistentvolumes"]
    agent = "pv-protection-controller"

    def is_used(self, obj: Object) -> bool:
        """Whether the PersistentVolume is bound to a claim."""
        return bool((obj.get("status") or {}).get("phase") == "Bound")


class VolumeAttributesClassProtectionController(ProtectionController):
    name = "volumeattributesclass-protection"
    group = "storage.k8s.io"
    plural = "volumeattributesclasses"
    finalizer = FINALIZERS["volumeattributesclasses"]
    agent = "volumeattributesclass-protection-controller"
    user_plurals = ("persistentvolumeclaims", "persistentvolumes")

    @property
    def is_needed(self) -> bool:
        return self.context.rules.quirks.attribute_classes_are_protected

    def keys_used_by(self, user: Object) -> Iterable[str]:
        return _attributes_classes_of(user)

    def is_used(self, obj: Object) -> bool:
        """Whether a PersistentVolumeClaim or a PersistentVolume uses the VolumeAttributesClass."""
        name = obj["metadata"]["name"]
        return any(name in _attributes_classes_of(user) for user in self.users)


def _claims_of(pod: Object) -> Iterator[tuple[str, bool]]:
    """Yields (claim name, whether the volume is ephemeral) for each PersistentVolumeClaim of a pod."""
    for volume in pod["spec"].get("volumes") or ():
        if "persistentVolumeClaim" in volume:
            yield volume["persistentVolumeClaim"]["claimName"], False
        elif "ephemeral" in volume:
            yield f"{pod['metadata']['name']}-{volume['name']}", True


def _uses(pod: Object, claim: Object) -> bool:
    metadata = claim["metadata"]
    return any(
        name == metadata["name"]
        and (not is_ephemeral or (not _is_shut_down(pod) and _is_controlled_by(claim, pod)))
        for name, is_ephemeral in _claims_of(pod)
    )


def _is_shut_down(pod: Object) -> bool:
    """Whether a pod is being deleted with grace period 0.

    Either the kubelet has ended the pod, or a client forced the deletion.
    """
    metadata = pod["metadata"]
    return "deletionTimestamp" in metadata and metadata.get("deletionGracePeriodSeconds") == 0


def _is_controlled_by(claim: Object, pod: Object) -> bool:
    owners = claim["metadata"].get("ownerReferences") or ()
    return any(owner.get("controller") and owner["uid"] == pod["metadata"]["uid"] for owner in owners)


def _attributes_classes_of(obj: Object) -> set[str]:
    """Returns the names of VolumeAttributesClasses in the spec and the status of a claim or a volume."""
    status = obj.get("status") or {}
    names = (
        obj["spec"].get("volumeAttributesClassName"),
        status.get("currentVolumeAttributesClassName"),
        (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName"),
    )
    return {name for name in names if name}
