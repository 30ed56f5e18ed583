"""FakeAPI: a Kubernetes API server that a test starts, uses and stops."""

import atexit
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from fakeapi.controllers.names import SETTLE_SECONDS
from fakeapi.machinery.json_types import Object
from fakeapi.releases import gates
from fakeapi.serving.runner import StartError
from fakeapi.settings import Settings, described, takes_settings
from fakeapi.testing.client import Client, StatusError, Verbs
from fakeapi.testing.running import RunningServer
from fakeapi.token_file import given_token

if TYPE_CHECKING:
    from fakeapi.clock.adjustable import ClusterClock
    from fakeapi.controllers.kubelet.agent import NodeAgent
    from fakeapi.installing.sources import Source
    from fakeapi.journal.requests import Requests
    from fakeapi.snapshots.kept import KeptSnapshots
    from fakeapi.snapshots.model import Snapshot
    from fakeapi.testing.baseline import Baseline
    from fakeapi.testing.faults import Faults
    from fakeapi.traces.reporting.report import Report

__all__ = ["FakeAPI", "StartError", "StatusError"]


class FakeAPI(Verbs):
    """A Kubernetes API server in a thread of this process, with the verbs of a client.

        with FakeAPI(release="1.31") as api:
            api.create(Path("claim.yaml"))

    `start` raises ValueError for an unknown release or gate, and StartError for what else prevents it.

    Options:
    """

    @takes_settings(Settings)
    def __init__(self, settings: Settings) -> None:
        """Raises GateError for feature gates that are neither a mapping nor text, ValueError for a token that
        cannot be used.
        """
        super().__init__()
        self._settings = replace(
            settings,
            feature_gates=gates.chosen(settings.feature_gates),
            token=given_token(settings.token, settings.token_file),
            token_file=None,
        )
        self._server: RunningServer | None = None
        self._client: Client | None = None

    def __repr__(self) -> str:
        release = self._settings.release or "all releases"
        return f"<FakeAPI {release}, {self.url if self.running else 'not running'}>"

    def start(self) -> Self:
        """Returns when the server answers."""
        server = self._new_server()
        server.start()
        self._attach(server)
        return self

    def run(self, on_ready: Callable[[Self], None]) -> None:
        """Serves in this thread, the main one, until SIGINT or SIGTERM."""
        server = self._new_server()

        def ready() -> None:
            self._attach(server)
            on_ready(self)

        try:
            server.run(ready)
        finally:
            self._detach()

    def stop(self) -> None:
        """Ends open watches, connections and the thread; removes temporary files. Again is no error.

        A recording is written now; raises TraceError where it cannot be.
        """
        server = self._detach()
        if server is not None:
            server.stop()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._settings.strict_faults and self.running:
                self.faults.verify()
        finally:
            self.stop()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Any:
        if self._client is None:
            raise RuntimeError("the server is not running")
        return self._client.request(method, path, body, query=query, content_type=content_type)

    def start_recording(self, path: str | Path, *, redact: Iterable[str] = ()) -> None:
        """Records the traffic from now on, into a file that appears at `stop_recording`, or at `stop`.

        Credentials are taken out, and the fields named by `redact` ("spec.controller"). Raises TraceError.
        """
        self._running().start_recording(path, tuple(redact))

    def stop_recording(self) -> Path:
        """Writes the recording, with open watches as they are; returns its path. Raises TraceError."""
        return self._running().stop_recording()

    @property
    def recording(self) -> bool:
        return self._server is not None and self._server.recording

    def discard_recording(self) -> None:
        """Ends a recording without a file; without a recording it does nothing."""
        self._running().discard_recording()

    def replay(self, trace: str | Path, **how: Any) -> "Report":
        """Sends the requests of a recorded trace to this server, and says where the answers differ.

        What may be said about `how` is in `fakeapi.testing.replaying.options`. Objects that are there stay.
        Raises TraceError for a trace that cannot be read, ValueError for options without sense.
        """
        from fakeapi.testing import replaying  # noqa: PLC0415 - it builds on this module
        from fakeapi.traces.formats.open import open_trace  # noqa: PLC0415 - the same

        with open_trace(trace) as reader:
            return replaying.replay_on(self, reader, replaying.options(**how))

    @property
    def release(self) -> str | None:
        """The release that is served; None for the default, which serves API versions of several releases."""
        return self._settings.release

    @property
    def token(self) -> str | None:
        """The bearer token that clients must send, if any."""
        return self._settings.token

    def reset(self) -> None:
        """Makes it a new cluster: no objects but the first namespaces. Watches end, connections stay."""
        self._running().reset()

    @property
    def clock(self) -> "ClusterClock":
        """The clock that everything in the server goes by: `freeze`, `resume`, `advance`, `jump`, `now`.

        Timestamps, timeouts of watches, bookmarks, tokens and controllers follow it. A reset sets it back.
        Raises RuntimeError for a server whose option `clock` gave another one.
        """
        return self._running().clock

    @property
    def snapshots(self) -> "KeptSnapshots":
        """The snapshots that have a name. They end with the server, and survive a reset."""
        return self._running().snapshots

    def snapshot(self, name: str = "") -> "Snapshot":
        """All objects as they are now; kept under the name too, if one is given. Raises SnapshotError."""
        server = self._running()
        if name:
            server.snapshots.check(name)
        snapshot = server.snapshot()
        if name:
            server.snapshots.keep(name, snapshot)
        return snapshot

    def restore(self, snapshot: "Snapshot | str", *, rewind: bool = False) -> None:
        """Replaces all objects by those of a snapshot, or of the one with this name. Open watches end.

        Objects have their uids and resourceVersions back. New versions go on after all that there were, and
        those are Expired, so that informers list again. With `rewind` they go on from the snapshot's, the
        same each time; then nobody may go on who saw newer ones. Raises SnapshotError, and changes nothing,
        for objects of a kind that is not served.
        """
        server = self._running()
        chosen = server.snapshots[snapshot] if isinstance(snapshot, str) else snapshot
        server.restore(chosen, rewind=rewind)

    def baseline(self) -> "Baseline":
        """Captures the objects, the clock and the armed faults, for `return_to` to put back."""
        return self._running().baseline()

    def return_to(self, baseline: "Baseline") -> None:
        """Puts all objects, the clock and the faults back, and forgets the requests. Open watches end.

        For tests that share a server. New resourceVersions go on, as with `restore`; a seed goes on too.
        """
        self._running().return_to(baseline)

    def install(self, *sources: "Source") -> list[Object]:
        """Installs manifests in the order that they need: namespaces, definitions, roles, and the rest.

        A source is a dict, YAML or JSON text, a file, a directory, a pattern such as "crds/*.yaml", or
        several of these. Objects are applied (server-side apply), so what is there already and alike stays as
        it is; they are returned as they are stored. Raises InstallError, which names the file and the
        document; what can be known before is found before anything is installed.
        """
        return self._running().install(sources)

    @property
    def strict_faults(self) -> bool:
        """Whether a fault that meets nothing is an error."""
        return self._settings.strict_faults

    @property
    def requests(self) -> "Requests":
        """The requests that the server has answered, controllers' among them, to filter and to verify.

            api.requests.verify("update resourceclaims/status", times=2)
            api.requests.filter(verb="write", agent="my-driver/*")

        The last 10,000 are kept; a reset forgets them. Empty with the option journal="off".
        """
        from fakeapi.journal.requests import Requests  # noqa: PLC0415 - only where asked for

        return Requests(self._running().journal_entries)

    @property
    def faults(self) -> "Faults":
        """What goes wrong on purpose: ready-made faults by name, or rules.

        api.faults.conflict("resourceclaims/status", times=2)
        api.faults.expire("resourceclaims", after=3)
        api.faults.arm("faults.yaml")
        """
        from fakeapi.testing.faults import Faults  # noqa: PLC0415 - only where asked for

        return Faults(self._running())

    def settle(self, seconds: float = SETTLE_SECONDS) -> None:
        """Returns when no controller has anything left to do but what is for later by the clock.

        Raises NotSettled, a TimeoutError, after `seconds`; RuntimeError where no controllers run.
        """
        self._running().settle(seconds)

    def node(self, name: str = "node") -> "NodeAgent":
        """A node that the controller kubelet made: its directory, its drivers, the CDI devices of its pods.

        Raises KeyError for a node that there is not, RuntimeError where the kubelet does not run.
        """
        return self._running().node(name)

    def renewed(self) -> "FakeAPI":
        """A handle on the same server as a new cluster at another port.

        This handle is stopped: whoever still has it, or knows its URL or its kubeconfig, is cut off. A
        recording ends here, and is written.
        """
        server = self._running()
        server.restart_empty_on_new_port()
        self._detach()
        handle = FakeAPI(**{each.name: getattr(self._settings, each.name) for each in fields(Settings)})
        handle._attach(server)
        return handle

    @property
    def running(self) -> bool:
        return self._server is not None

    @property
    def port(self) -> int:
        return self._running().port

    @property
    def url(self) -> str:
        """Where clients on this machine connect to."""
        return self._running().url

    @property
    def page(self) -> str:
        """The address of the live page; "" where the control API is off."""
        return f"{self.url}/_fakeapi/ui/" if self._settings.control else ""

    @property
    def ca_file(self) -> Path | None:
        """The PEM file that clients verify the server with; None without TLS. Gone after `stop`."""
        return self._running().ca_file

    @property
    def kubeconfig(self) -> Path:
        """The path of a kubeconfig. Gone after `stop`, unless its place was chosen by the caller."""
        return self._running().kubeconfig

    def _new_server(self) -> RunningServer:
        if self._server is not None:
            raise RuntimeError("the server is running already")
        return RunningServer(self._settings)

    def _attach(self, server: RunningServer) -> None:
        self._server = server
        self._client = Client(server.url, token=self._settings.token, tls=server.trust)
        atexit.register(self.stop)

    def _detach(self) -> RunningServer | None:
        """The server, if there is one, which this handle does not reach any more."""
        atexit.unregister(self.stop)
        server, self._server = self._server, None
        client, self._client = self._client, None
        if client is not None:
            client.close()
        return server

    def _running(self) -> RunningServer:
        if self._server is None:
            raise RuntimeError("the server is not running")
        return self._server


FakeAPI.__doc__ = f"{FakeAPI.__doc__}{described()}\n"
