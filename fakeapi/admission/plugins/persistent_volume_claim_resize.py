"""PersistentVolumeClaimResize: rejects a larger storage request of an unbound or unexpandable claim.

Follows k8s.io/kubernetes `plugin/pkg/admission/storage/persistentvolume/resize`.
"""

from fakeapi.admission.plugin import UPDATE_ONLY, AdmissionPlugin
from fakeapi.kinds.core.storage_class_name import storage_class_name
from fakeapi.machinery.json_types import Object
from fakeapi.machinery.meta import quantity
from fakeapi.registry.admission.attributes import Attributes


class PersistentVolumeClaimResize(AdmissionPlugin):
    operations = UPDATE_ONLY

    def validate(self, attributes: Attributes) -> None:
        """Raises ApiError 403 if a claim requests more storage, but is not bound or not expandable.

        A claim is expandable if its StorageClass has allowVolumeExpansion, and the write does not change the
        class.
        """
        new, old = attributes.new_object(), attributes.old
        assert old is not None, "an update has an old object"
        if quantity.compare(_size(new), _size(old)) <= 0:
            return
        if old["status"].get("phase") != "Bound":
            raise attributes.forbidden("Only bound persistent volume claims can be expanded")
        if not self._class_allows(storage_class_name(new), storage_class_name(old)):
            raise attributes.forbidden(
                "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
                "pvc must support resize"
            )

    def _class_allows(self, name: str, before: str) -> bool:
        if not name or name != before:
            return False
        storage_class = self.objects.get("storage.k8s.io", "storageclasses", "", name)
        return bool(storage_class and storage_class.get("allowVolumeExpansion"))


def _size(claim: Object) -> str:
    size: str = ((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage", "0")
    return size
