"""Types of the internal version whose fields v1 inlines into another type.

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
"""By internal type: the v1 type that inlines its fields, and these fields in their order."""


def internal_struct(type_name: str, rules: ReleaseRules) -> Struct:
    """Returns a type of the core group as the internal version has it."""
    if type_name not in _PARTS:
        return rules.schemas.struct(f"core/v1.{type_name}")
    holder, names = _PARTS[type_name]
    fields = rules.schemas.struct(f"core/v1.{holder}").fields
    return Struct(f"v1.{type_name}", {name: fields[name] for name in names}, full_name=f"core/v1.{type_name}")
