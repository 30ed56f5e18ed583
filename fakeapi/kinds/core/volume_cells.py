"""Table cells that PersistentVolumes and PersistentVolumeClaims share.

Follows `GetAccessModesAsString` of k8s.io/kubernetes `pkg/apis/core/helper`.
"""

from collections.abc import Iterable
from typing import Final

from fakeapi.kinds.core.storage_class_name import storage_class_name
from fakeapi.machinery.json_types import Object
from fakeapi.registry.model.columns import Cell

_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def access_modes(modes: Iterable[str] | None) -> str:
    """Returns the abbreviated access modes without duplicates, such as `RWO,ROX`."""
    present = set(modes or ())
    return ",".join(short for mode, short in _MODES.items() if mode in present)


def class_of(obj: Object, now: float) -> str:
    return storage_class_name(obj)


def unset_or(name: str) -> Cell:
    """Returns a table cell function for a field of the spec.

    The cell is `<unset>` if the field is missing.
    """

    def cell(obj: Object, now: float) -> str:
        value: str | None = obj["spec"].get(name)
        return "<unset>" if value is None else value

    return cell
