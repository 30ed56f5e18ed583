"""StorageObjectInUseProtection: keeps volumes, claims and VolumeAttributesClasses while they are in use.

Adds finalizers to new objects. Follows k8s.io/kubernetes
`plugin/pkg/admission/storage/storageobjectinuseprotection`.
"""

from fakeapi.admission.field_order import add_finalizer
from fakeapi.admission.plugin import CREATE_ONLY, AdmissionPlugin
from fakeapi.registry.admission.attributes import Attributes

FINALIZERS = {
    "persistentvolumes": "kubernetes.io/pv-protection",
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "volumeattributesclasses": "kubernetes.io/vac-protection",
}


class StorageObjectInUseProtection(AdmissionPlugin):
    operations = CREATE_ONLY

    def mutate(self, attributes: Attributes) -> None:
        """Adds a protection finalizer to a new object.

        In a cluster, a controller removes the finalizer when the object is no longer in use. Releases before
        1.33 do not protect VolumeAttributesClasses, and newer releases only while their gate is on.
        """
        name, release = attributes.resource.kind.resource, attributes.resource.release
        if name == "volumeattributesclasses" and not (
            release.quirks.attribute_classes_are_protected and release.gates.enabled("VolumeAttributesClass")
        ):
            return
        add_finalizer(attributes.new_object(), FINALIZERS[name])
