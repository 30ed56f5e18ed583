"""Types that exist only in kube-apiserver's internal version.

In v1, another type has their fields directly.

Follows k8s.io/kubernetes `pkg/apis/core/types.go`.
"""

from typing import Final

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases.rules import ReleaseRules

_PARTS: Final = {
    "PersistentVolumeSource": (
        "PersistentVolumeSpec",
        (
            "gcePersistentDisk",
            "awsElasticBlockStore",
            "hostPath",
            "glusterfs",
            "nfs",
            "rbd",
            "quobyte",
            "iscsi",
            "flexVolume",
            "cinder",
            "cephfs",
            "fc",
            "flocker",
            "azureFile",
            "vsphereVolume",
            "azureDisk",
            "photonPersistentDisk",
            "portworxVolume",
            "scaleIO",
            "local",
            "storageos",
            "csi",
        ),
    ),
}
"""Maps each internal type to the v1 type that has its fields, and to the names of these fields in order."""


def internal_struct(type_name: str, rules: ReleaseRules) -> Struct:
    """Returns the schema of a core type in the internal version, such as `PersistentVolumeSource`."""
    if type_name not in _PARTS:
        return rules.schemas.struct(f"core/v1.{type_name}")
    holder, names = _PARTS[type_name]
    fields = rules.schemas.struct(f"core/v1.{holder}").fields
    return Struct(f"v1.{type_name}", {name: fields[name] for name in names}, full_name=f"core/v1.{type_name}")
