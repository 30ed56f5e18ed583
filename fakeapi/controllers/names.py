"""The names of the controllers in the option `controllers`, and their classes."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakeapi.controllers.controller import MakeController

_PLACES: Mapping[str, tuple[str, str]] = {
    "namespace": ("fakeapi.controllers.namespace", "NamespaceController"),
    "garbagecollector": ("fakeapi.controllers.garbage_collector", "GarbageCollector"),
    "kubelet": ("fakeapi.controllers.kubelet.controller", "KubeletController"),
    "scheduler": ("fakeapi.controllers.scheduler.controller", "SchedulerController"),
    "resourceclaim": ("fakeapi.controllers.resourceclaim", "ResourceClaimController"),
    "devicetainteviction": (
        "fakeapi.controllers.device_taint_eviction",
        "DeviceTaintEvictionController",
    ),
    "resourcequota": ("fakeapi.controllers.resource_quota", "ResourceQuotaController"),
    "podgroup-protection": ("fakeapi.controllers.protection.pod_groups", "PodGroupProtectionController"),
    "persistentvolumeclaim-protection": (
        "fakeapi.controllers.protection.volumes",
        "PersistentVolumeClaimProtectionController",
    ),
    "persistentvolume-protection": (
        "fakeapi.controllers.protection.volumes",
        "PersistentVolumeProtectionController",
    ),
    "volumeattributesclass-protection": (
        "fakeapi.controllers.protection.volumes",
        "VolumeAttributesClassProtectionController",
    ),
}
"""Module and class of each controller, by name. The function `makers` imports the module."""

ALL = "all"

SETTLE_SECONDS = 30.0
"""Default timeout, in seconds, of waiting until the controllers have settled."""


def chosen(names: str | Iterable[str]) -> list[str]:
    """Returns the names of the controllers that the option selects, without duplicates, in a fixed order.

    `names`: a list, or a string with commas. "all" selects every controller. Raises ValueError for an unknown
    name, and for a controller that needs a Python package that is not installed.
    """
    parts = names.split(",") if isinstance(names, str) else names
    selected = {part.strip() for part in parts} - {""}
    if ALL in selected:
        _check_extras(_PLACES)
        return list(_PLACES)
    unknown = sorted(selected - _PLACES.keys())
    if unknown:
        raise ValueError(f"no controller {', '.join(unknown)}; there are {', '.join(_PLACES)} and {ALL}")
    _check_extras(selected)
    return [name for name in _PLACES if name in selected]


def _check_extras(names: Iterable[str]) -> None:
    """Raises ValueError if one of these controllers needs a Python package that is not installed."""
    if "kubelet" in names and find_spec("grpc") is None:
        raise ValueError("the controller kubelet takes the extra node, pip install 'fakeapi-k8s[node]'")


def makers(names: Iterable[str]) -> "dict[str, MakeController]":
    """Imports the modules of these controllers; returns the controller classes by name."""
    factories: dict[str, MakeController] = {}
    for name in names:
        module, member = _PLACES[name]
        factories[name] = getattr(import_module(module), member)
    return factories
