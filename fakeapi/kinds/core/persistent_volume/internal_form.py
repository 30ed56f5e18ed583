"""Defines the internal type PersistentVolumeSource. In v1, the spec itself has the fields of this type.

Follows k8s.io/kubernetes `pkg/apis/core/types.go`.
"""

from typing import Final

from fakeapi.machinery.schema.nodes import Struct
from fakeapi.releases.rules import ReleaseRules

_SOURCES: Final = (
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
)


def internal_source(rules: ReleaseRules) -> Struct:
    """Returns the schema of PersistentVolumeSource, with its fields in the order of the internal version."""
    fields = rules.schemas.struct("core/v1.PersistentVolumeSpec").fields
    name = "PersistentVolumeSource"
    in_v1 = [kind for kind in fields if kind in _SOURCES]
    sources = in_v1 if rules.quirks.internal_volumes_follow_v1 else _SOURCES
    return Struct(f"v1.{name}", {kind: fields[kind] for kind in sources}, full_name=f"core/v1.{name}")


def internal_spec(rules: ReleaseRules) -> Struct:
    """Returns the schema of PersistentVolumeSpec, with its sources in the order of the internal version."""
    whole = rules.schemas.struct("core/v1.PersistentVolumeSpec")
    first = {"capacity": whole.fields["capacity"], **internal_source(rules).fields}
    return Struct(whole.go_type, first | whole.fields, full_name=whole.full_name)
