"""A fake Kubernetes API server for Dynamic Resource Allocation (DRA).

The public names are imported on first use, to keep `import fakeapi` cheap. Pytest imports this package as a
plugin in every test session, even in projects that do not use it.
"""

from typing import TYPE_CHECKING, Any

from fakeapi.version import __version__

if TYPE_CHECKING:
    from fakeapi.installing.sources import InstallError
    from fakeapi.snapshots.model import Snapshot, SnapshotError
    from fakeapi.testing.replay import replay
    from fakeapi.testing.server import FakeAPI, StatusError

__all__ = [
    "FakeAPI",
    "InstallError",
    "Snapshot",
    "SnapshotError",
    "StatusError",
    "__version__",
    "replay",
]


def __getattr__(name: str) -> Any:
    if name in ("FakeAPI", "StatusError"):
        from fakeapi.testing import server  # noqa: PLC0415 - see the module's docstring

        return getattr(server, name)
    if name in ("Snapshot", "SnapshotError"):
        from fakeapi.snapshots import model  # noqa: PLC0415 - see the module's docstring

        return getattr(model, name)
    if name == "InstallError":
        from fakeapi.installing.sources import InstallError  # noqa: PLC0415 - see the module's docstring

        return InstallError
    if name == "replay":
        from fakeapi.testing.replay import replay  # noqa: PLC0415 - see the module's docstring

        return replay
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
