"""Cells of tables that volumes and claims for them have in common.

Follows `GetAccessModesAsString` and `GetPersistentVolumeClass` of k8s.io/kubernetes `pkg/apis/core/helper`.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell

CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def access_modes(modes: Iterable[str] | None) -> str:
    """Access modes in short, each once: `RWO,ROX`."""
    found = set(modes or ())
    return ",".join(short for mode, short in _MODES.items() if mode in found)


def class_of(obj: Object, now: float) -> str:
    """The name of the storage class; the annotation goes before the field."""
    annotations: Mapping[str, str] = obj["metadata"].get("annotations") or {}
    if CLASS_ANNOTATION in annotations:
        return annotations[CLASS_ANNOTATION]
    name: str | None = obj["spec"].get("storageClassName")
    return name or ""


def unset_or(name: str) -> Cell:
    """A cell with a field of the spec, `<unset>` where it is absent."""

    def cell(obj: Object, now: float) -> str:
        value: str | None = obj["spec"].get(name)
        return "<unset>" if value is None else value

    return cell
