"""A fake Kubernetes API server for Dynamic Resource Allocation (DRA).

The public names are imported on first use, to keep `import fakeapi` cheap. Pytest imports this package as a
plugin in every test session, even in projects that do not use it.
"""

import gc
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fakeapi.version import __version__

if TYPE_CHECKING:
    from fakeapi.clients.control import ControlClient, ControlError
    from fakeapi.clients.errors import StatusError
    from fakeapi.clients.target import TargetError
    from fakeapi.controllers.manager import NotSettled
    from fakeapi.faults.rules import Rule, RuleError
    from fakeapi.installing.sources import InstallError
    from fakeapi.journal.entry import Entry
    from fakeapi.journal.pattern import PatternError
    from fakeapi.journal.requests import Requests, VerificationFailed
    from fakeapi.machinery.base_error import FakeAPIError
    from fakeapi.releases.gates import GateError
    from fakeapi.releases.release import UnknownReleaseError
    from fakeapi.serving.start_error import StartError
    from fakeapi.snapshots.content import SnapshotError
    from fakeapi.snapshots.model import Snapshot
    from fakeapi.testing.armed_fault import Fault
    from fakeapi.testing.client import Client
    from fakeapi.testing.factory import FakeAPIFactory, ReplayFunction
    from fakeapi.testing.faults import Faults, FaultsUnfired
    from fakeapi.testing.replay import replay
    from fakeapi.testing.server import FakeAPI
    from fakeapi.testing.unchecked_rules import UncheckedRuleWarning
    from fakeapi.testing.unknown_fields import UnknownFieldWarning
    from fakeapi.testing.watching import WaitTimeout, Watch, WatchEvent
    from fakeapi.traces.model import TraceError

__all__ = [
    "Client",
    "ControlClient",
    "ControlError",
    "Entry",
    "FakeAPI",
    "FakeAPIError",
    "FakeAPIFactory",
    "Fault",
    "Faults",
    "FaultsUnfired",
    "GateError",
    "InstallError",
    "NotSettled",
    "PatternError",
    "ReplayFunction",
    "Requests",
    "Rule",
    "RuleError",
    "Snapshot",
    "SnapshotError",
    "StartError",
    "StatusError",
    "TargetError",
    "TraceError",
    "UncheckedRuleWarning",
    "UnknownFieldWarning",
    "UnknownReleaseError",
    "VerificationFailed",
    "WaitTimeout",
    "Watch",
    "WatchEvent",
    "__version__",
    "replay",
]

_MODULES = {
    "clients.control": ("ControlClient", "ControlError"),
    "clients.errors": ("StatusError",),
    "clients.target": ("TargetError",),
    "controllers.manager": ("NotSettled",),
    "faults.rules": ("Rule", "RuleError"),
    "installing.sources": ("InstallError",),
    "journal.entry": ("Entry",),
    "journal.pattern": ("PatternError",),
    "journal.requests": ("Requests", "VerificationFailed"),
    "machinery.base_error": ("FakeAPIError",),
    "releases.gates": ("GateError",),
    "releases.release": ("UnknownReleaseError",),
    "serving.start_error": ("StartError",),
    "snapshots.content": ("SnapshotError",),
    "snapshots.model": ("Snapshot",),
    "testing.armed_fault": ("Fault",),
    "testing.client": ("Client",),
    "testing.factory": ("FakeAPIFactory", "ReplayFunction"),
    "testing.faults": ("Faults", "FaultsUnfired"),
    "testing.replay": ("replay",),
    "testing.server": ("FakeAPI",),
    "testing.unchecked_rules": ("UncheckedRuleWarning",),
    "testing.unknown_fields": ("UnknownFieldWarning",),
    "testing.watching": ("WaitTimeout", "Watch", "WatchEvent"),
    "traces.model": ("TraceError",),
}
"""Maps modules to the public names that they define."""


def _imported(name: str) -> ModuleType:
    """Imports a module without garbage collection meanwhile, because new modules contain no garbage.

    Afterwards, `gc.freeze` and `gc.unfreeze` move all objects to the oldest generation, where collections are
    rare. This step is omitted if garbage collection was off, or if the process has frozen objects.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return import_module(name)
    finally:
        if collects:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names:
            return getattr(_imported(f"fakeapi.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
