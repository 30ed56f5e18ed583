"""The controllers, by the names used in options."""

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
"""Module and class of each controller. A module is imported when its controller is first made."""

ALL = "all"

SETTLE_SECONDS = 30.0
"""Timeout of `settle`."""


def chosen(names: str | Iterable[str]) -> list[str]:
    """The controllers that an option names, each once, in an order that does not depend on the option's.

    `names` is a list or a text with commas; "all" stands for every one. Raises ValueError for an unknown one.
    """
    given = names.split(",") if isinstance(names, str) else names
    wanted = {each.strip() for each in given} - {""}
    if ALL in wanted:
        _check_extras(_PLACES)
        return list(_PLACES)
    unknown = sorted(wanted - _PLACES.keys())
    if unknown:
        raise ValueError(f"no controller {', '.join(unknown)}; there are {', '.join(_PLACES)} and {ALL}")
    _check_extras(wanted)
    return [name for name in _PLACES if name in wanted]


def _check_extras(names: Iterable[str]) -> None:
    """Raises ValueError for a controller whose extra is not installed."""
    if "kubelet" in names and find_spec("grpc") is None:
        raise ValueError("the controller kubelet takes the extra node, pip install 'fakeapi-k8s[node]'")


def makers(names: Iterable[str]) -> "dict[str, MakeController]":
    """The factories of the named controllers, by name."""
    found: dict[str, MakeController] = {}
    for name in names:
        module, member = _PLACES[name]
        found[name] = getattr(import_module(module), member)
    return found
