"""Types that the server's own package has and no version: parts that a version writes into what holds them.

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
"""By type: the type of the version that its fields are written into, and its fields in their order."""


def internal_struct(type_name: str, rules: ReleaseRules) -> Struct:
    """A type of the core group as the server has it."""
    if type_name not in _PARTS:
        return rules.schemas.struct(f"core/v1.{type_name}")
    holder, names = _PARTS[type_name]
    fields = rules.schemas.struct(f"core/v1.{holder}").fields
    return Struct(f"v1.{type_name}", {name: fields[name] for name in names}, full_name=f"core/v1.{type_name}")
