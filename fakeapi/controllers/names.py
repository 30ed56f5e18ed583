"""The controllers that there are, by the names that options give them."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakeapi.controllers.controller import MakeController

_PLACES: Mapping[str, tuple[str, str]] = {
    "namespace": ("fakeapi.controllers.namespace", "NamespaceController"),
    "garbagecollector": ("fakeapi.controllers.garbage_collector", "GarbageCollector"),
    "scheduler": ("fakeapi.controllers.scheduler.controller", "SchedulerController"),
    "resourceclaim": ("fakeapi.controllers.resourceclaim", "ResourceClaimController"),
}
"""Where each is; imported when it is asked for."""

ALL = "all"

SETTLE_SECONDS = 30.0
"""For all controllers to have nothing left to do."""


def chosen(names: str | Iterable[str]) -> list[str]:
    """The controllers that an option names, each once, in an order that does not depend on the option's.

    `names` is a list or a text with commas; "all" stands for every one. Raises ValueError for an unknown one.
    """
    given = names.split(",") if isinstance(names, str) else names
    wanted = {each.strip() for each in given} - {""}
    if ALL in wanted:
        return list(_PLACES)
    unknown = sorted(wanted - _PLACES.keys())
    if unknown:
        raise ValueError(f"no controller {', '.join(unknown)}; there are {', '.join(_PLACES)} and {ALL}")
    return [name for name in _PLACES if name in wanted]


def makers(names: Iterable[str]) -> "dict[str, MakeController]":
    """How the controllers of these names are made."""
    found: dict[str, MakeController] = {}
    for name in names:
        module, member = _PLACES[name]
        found[name] = getattr(import_module(module), member)
    return found
