"""Reads the name of the storage class of a PersistentVolume or a PersistentVolumeClaim.

Follows `GetPersistentVolumeClass` of k8s.io/kubernetes `pkg/apis/core/helper`.
"""

from collections.abc import Mapping
from typing import Final

from fakeapi.machinery.json_types import Object

CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
"""The annotation that contained the storage class before the field storageClassName existed."""


def storage_class_name(obj: Object) -> str:
    """Returns the name of the storage class, or "". The annotation takes precedence over the field."""
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    if CLASS_ANNOTATION in annotations:
        return annotations[CLASS_ANNOTATION]
    name: str | None = obj["spec"].get("storageClassName")
    return name or ""
