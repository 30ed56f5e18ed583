"""The types of the fixtures `fakeapi_factory` and `fakeapi_replay`, for annotations in tests."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from fakeapi.settings import Settings
from fakeapi.settings_signature import passes_options

if TYPE_CHECKING:
    from fakeapi.testing.replaying import ReplayOptions
    from fakeapi.testing.server import FakeAPI
    from fakeapi.traces.reporting.report import Report


class FakeAPIFactory:
    """Starts empty servers for one test: `fakeapi_factory(release="1.34")`."""

    def __init__(self, start: Callable[[Mapping[str, Any]], "FakeAPI"]) -> None:
        """Keeps the function that starts servers. `start`: receives the options of a server as a mapping."""
        self._start = start

    @passes_options(Settings)
    def __call__(self, options: Mapping[str, Any]) -> "FakeAPI":
        """Returns a running server. The keyword arguments are the options of FakeAPI.

        Fails the test if an option is invalid or if too many servers are running. Raises TypeError for an
        unknown option.
        """
        return self._start(options)


class ReplayFunction(Protocol):
    """Replays a trace against an empty server: the value of the fixture `fakeapi_replay`."""

    def __call__(
        self,
        trace: str | Path,
        *,
        release: str | None = None,
        feature_gates: Mapping[str, bool] | str | None = None,
        **how: "Unpack[ReplayOptions]",
    ) -> "Report":
        """Returns the report of the replay.

        - `trace`: a file in fakeapi's own format, a Kubernetes audit log, or HAR.
        - `release`: the Kubernetes release of the server; None for the release of the trace.
        - `feature_gates`: the feature gates of the server.
        - `how`: the options of `fakeapi.testing.replaying.options`.
        """
        ...
