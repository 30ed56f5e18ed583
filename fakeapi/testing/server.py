"""FakeAPI: a Kubernetes API server that a test starts, uses and stops."""

import atexit
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from fakeapi.clients.errors import StatusError
from fakeapi.controllers.names import SETTLE_SECONDS
from fakeapi.machinery.golang import times
from fakeapi.machinery.json_types import Object
from fakeapi.releases import gates
from fakeapi.serving.start_error import StartError
from fakeapi.settings import Settings
from fakeapi.settings_signature import described, takes_settings
from fakeapi.testing import unchecked_rules
from fakeapi.testing.client import Verbs
from fakeapi.testing.driver_methods import DriverMethods
from fakeapi.testing.explaining import Explains
from fakeapi.testing.hidden_frames import hides_expected_errors
from fakeapi.testing.image_methods import ImageMethods
from fakeapi.testing.insight import WAITING, Insight
from fakeapi.testing.recording_methods import RecordingMethods
from fakeapi.testing.server_credentials import with_tokens
from fakeapi.testing.server_names import check_advertised
from fakeapi.testing.wire import Wire

if TYPE_CHECKING:
    from fakeapi.clock.adjustable import ClusterClock
    from fakeapi.controllers.kubelet.agent import NodeAgent
    from fakeapi.installing.sources import Source
    from fakeapi.journal.entry import Entry
    from fakeapi.journal.requests import Requests
    from fakeapi.snapshots.kept import KeptSnapshots
    from fakeapi.snapshots.model import Snapshot
    from fakeapi.testing.baseline import Baseline
    from fakeapi.testing.containers import Containers, ContainerView
    from fakeapi.testing.faults import Faults
    from fakeapi.testing.running import RunningServer

__all__ = ["FakeAPI", "StartError", "StatusError"]

__tracebackhide__ = hides_expected_errors


class FakeAPI(DriverMethods, ImageMethods, Explains, RecordingMethods, Verbs):
    """A Kubernetes API server in a thread of this process, with the methods of a client.

        with FakeAPI(release="1.34") as api:
            api.create("claim.yaml")

    `async with` works too. Without `release`, the server serves every API version of all its releases. The
    newest release with an API version decides its behaviour.

    `start` raises ValueError for an invalid option, such as an unknown release or gate. `start` raises
    StartError if the server cannot start for another reason.

    Options:
    """

    @takes_settings(Settings)
    def __init__(self, settings: Settings) -> None:
        """Checks and keeps the options of the server; `start` and `run` start it.

        Raises TypeError for an unknown option, and ValueError for an option of a wrong type or out of bounds.
        Raises GateError for malformed feature gates, and ValueError for an unusable token or `advertise_url`.
        """
        super().__init__()
        check_advertised(settings)
        self._settings = with_tokens(replace(settings, feature_gates=gates.chosen(settings.feature_gates)))
        self._connected: Wire | None = None

    def __repr__(self) -> str:
        from fakeapi.releases.serving import default_description  # noqa: PLC0415 - keeps the import fast

        release = self._settings.release or default_description()
        return f"<FakeAPI {release}, {self.url if self.running else 'not running'}>"

    def start(self) -> Self:
        """Starts the server in a new thread; returns this object when the server answers requests.

        Raises ValueError for an invalid option, StartError if the server cannot start for another reason,
        and RuntimeError if it is running already.
        """
        server = self._new_server()
        server.start()
        self._attach(server)
        try:
            unchecked_rules.warn_of_headers(server.warnings, "install")
        except UserWarning:  # a filter makes the warning an error
            self.stop()
            raise
        return self

    def run(self, on_ready: Callable[[Self], None]) -> None:
        """Serves until SIGINT or SIGTERM, and then stops. Call it in the main thread.

        `on_ready`: called with this object when the server answers requests.

        Raises the errors of `start` and `stop`.
        """
        server = self._new_server()

        def ready() -> None:
            self._attach(server)
            on_ready(self)

        try:
            server.run(ready)
        finally:
            self._detach()

    def stop(self) -> None:
        """Stops the server: ends watches, connections and the thread, and removes temporary files.

        Writes the file of the recording, and raises TraceError if that fails. A second call does nothing.
        """
        server = self._detach()
        if server is not None:
            server.stop()

    def __enter__(self) -> Self:
        return self.start()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._settings.strict_faults and self.running:
                self.faults.verify()
        finally:
            self.stop()

    def _wire(self) -> Wire:
        if self._connected is None:
            raise RuntimeError("the server is not running: use it in a `with` block, or call start()")
        return self._connected

    def _insight(self) -> Insight:
        return Insight(self._wire(), self._running().journal, self._frozen_at, self._why)

    def _why(self, kind: str, namespace: str, name: str) -> str:
        explanation = self.explain(kind, name, namespace=namespace)
        return explanation.text if explanation.verdict in WAITING else ""

    def _now(self) -> str:
        try:
            return times.now_text(self._running().clock.now())
        except RuntimeError:  # the clock belongs to the caller
            return super()._now()

    def kubeconfig_for(self, user: str, *, groups: Sequence[str] = ()) -> Path:
        """Returns the path of a new kubeconfig for a user.

            subprocess.run(["kubectl", "get", "pods"], env={"KUBECONFIG": str(api.kubeconfig_for("jane"))})

        - `user`: such as "jane" or "system:serviceaccount:team:driver". The service account need not exist.
        - `groups`: the groups of the user in addition to system:authenticated. Without them, a service
          account has its usual groups.

        The user has its own bearer token. kubectl and client-go send no token over plain HTTP, so the
        kubeconfig of a server without TLS also impersonates the user. `stop` removes the file.
        """
        return self._running().kubeconfig_for(user, tuple(groups))

    def _frozen_at(self) -> str:
        """Returns the time of the frozen clock; "" if the clock runs or belongs to the caller."""
        try:
            clock = self._running().clock
        except RuntimeError:
            return ""
        return times.now_text(clock.now()) if clock.frozen else ""

    @property
    def release(self) -> str | None:
        """The Kubernetes release that the server imitates; None if you chose no release."""
        return self._settings.release

    @property
    def token(self) -> str | None:
        """The bearer token that clients must send; None if the server requires no token."""
        return self._settings.token

    def reset(self) -> None:
        """Replaces the cluster by a new cluster with only its initial objects, such as the namespaces.

        - Watches end; connections stay open.
        - The manifests of the option `install` are installed again.
        - Only the faults of the option `faults` are armed.
        - Only the controllers, nodes, simulated drivers, behaviours of containers, images and webhook
          services of the options remain. The results of `add_driver`, `run_image` and similar methods are
          removed.
        - The clock returns to its initial state, and random values start again from the option `seed`.
        - `requests` becomes empty; `snapshots` stays.
        """
        self._running().reset()

    @property
    def clock(self) -> "ClusterClock":
        """The clock of the server, with the methods `freeze`, `resume`, `advance`, `jump` and `now`.

        Timestamps, timeouts of watches, bookmarks, tokens and controllers follow this clock. `reset` returns
        the clock to its initial state. Raises RuntimeError if the option `clock` supplied another clock, or
        if several servers share the database.
        """
        return self._running().clock

    @property
    def snapshots(self) -> "KeptSnapshots":
        """The named snapshots. A reset keeps the snapshots; they are lost when the server stops."""
        return self._running().snapshots

    def snapshot(self, name: str = "") -> "Snapshot":
        """Returns a snapshot of all objects.

        `name`: if not "", the server also keeps the snapshot under this name in `snapshots`. The new snapshot
        replaces an older one with the same name.

        Raises SnapshotError if the name is invalid, or if the server keeps too many snapshots already.
        """
        server = self._running()
        if name:
            server.snapshots.check(name)
        snapshot = server.snapshot()
        if name:
            server.snapshots.keep(name, snapshot)
        return snapshot

    def restore(self, snapshot: "Snapshot | str", *, rewind: bool = False) -> None:
        """Replaces all objects by the objects of a snapshot, with their uids and resourceVersions.

        Watches end.

        - `snapshot`: the snapshot, or its name in `snapshots`.
        - `rewind`: if false, new resourceVersions are newer than all resourceVersions of the server and of
          the snapshot. Older resourceVersions get 410 Expired, so that informers list again. If true, the
          next resourceVersion follows the snapshot's resourceVersion. A repeated test then sees the same
          resourceVersions, but clients that saw newer versions must start again.

        Raises SnapshotError for an unknown name, or if the server does not serve the kind of an object. After
        an error, no object has changed.
        """
        server = self._running()
        chosen = server.snapshots[snapshot] if isinstance(snapshot, str) else snapshot
        server.restore(chosen, rewind=rewind)

    def baseline(self) -> "Baseline":
        """Captures objects, clock, armed faults and simulated drivers; `return_to` can restore them."""
        return self._running().baseline()

    def return_to(self, baseline: "Baseline") -> None:
        """Restores the objects, the clock and the armed faults of a baseline, for tests that share a server.

        Restores the simulated drivers, images and webhook services too, and stops controllers that
        `add_driver` or `run_image` started later. Behaviours of containers return to the options.

        Watches end, and `requests` becomes empty. The counters of the faults start again at 0. New
        resourceVersions continue after the newest resourceVersion of the server. Random values continue the
        sequence of the option `seed`.

        Raises SnapshotError if the server does not serve the kind of an object.
        """
        self._running().return_to(baseline)

    def install(self, *sources: "Source") -> list[Object]:
        """Installs manifests in dependency order; returns the stored objects.

        The order is: namespaces, CustomResourceDefinitions, roles and their bindings, and other objects. The
        server applies the objects with server-side apply, so equal objects do not change.

        `sources`: each is a dict, YAML or JSON text, a file, a directory, a pattern such as "crds/*.yaml", or
        a collection of these.

        Raises InstallError if a manifest cannot be read, or if the server refuses an object. The message
        names the file and the document. All sources are checked before the first object is installed.
        """
        from fakeapi.installing.sources import InstallError  # noqa: PLC0415 - loaded only when used

        server = self._running()
        try:
            stored = server.install(sources)
        except InstallError as error:
            raise error.with_traceback(None) from None  # its frames are in other threads and modules
        unchecked_rules.warn_of_headers(server.warnings, "install")
        return stored

    @property
    def strict_faults(self) -> bool:
        """Whether a fault that never fired is an error.

        The end of the `with` block then raises FaultsUnfired, and tests with the pytest fixtures fail.
        """
        return self._settings.strict_faults

    @property
    def requests(self) -> "Requests":
        """The requests that the server has answered, oldest first, including requests of controllers.

            api.requests.verify("update resourceclaims/status", times=2)
            api.requests.filter(verb="write", agent="my-driver/*")

        The server keeps the last 10,000 requests, or none with the option journal="off". `reset` and
        `return_to` clear them.
        """
        from fakeapi.journal.requests import Requests  # noqa: PLC0415 - loaded only when used

        journal = self._running().journal
        return Requests(journal.entries, server=journal)

    @property
    def faults(self) -> "Faults":
        """The faults of the server: injects failures with ready-made faults or with rules.

            api.faults.conflict("resourceclaims/status", times=2)
            api.faults.expire("resourceclaims", after=3)
            api.faults.arm("faults.yaml")

        docs/faults.md lists the ready-made faults and the members of a rule.
        """
        from fakeapi.testing.faults import Faults  # noqa: PLC0415 - loaded only when used

        return Faults(self._running().faults)

    def on_request(self, listener: "Callable[[Entry], None]") -> None:
        """Calls `listener` with the journal entry of each later request, in the server's event loop.

        The listener must not block. Without a journal (journal="off"), the server never calls it.
        """
        self._running().on_request(listener)

    def settle(self, seconds: float = SETTLE_SECONDS) -> None:
        """Waits until the controllers have no work left, except work that is scheduled for a later time.

        Raises NotSettled, a TimeoutError, if the controllers still have work after `seconds`. Raises
        RuntimeError if no controllers run.
        """
        self._running().settle(seconds)

    def node(self, name: str = "node") -> "NodeAgent":
        """Returns a node of the kubelet controller, with its directory, its drivers and its pods.

        Raises KeyError for an unknown node, and RuntimeError if the kubelet controller does not run.
        """
        return self._running().node(name)

    @property
    def containers(self) -> "Containers":
        """The simulated containers of pods. Tests can set the behaviour of containers.

            api.containers.behave(image="crash:*", exit_code=1, after="5s")

        docs/pods.md lists the fields of a behaviour. Raises RuntimeError if the kubelet controller does not
        run.
        """
        from fakeapi.testing.containers import Containers  # noqa: PLC0415 - loaded only when used

        return Containers(self._running())

    def container(self, namespace: str, pod: str, name: str = "") -> "ContainerView":
        """Returns the current run of a container, or its last run: environment, devices, mounts, log and
        attempt.

        `name`: the name of the container; "" for the only container of a pod. Raises LookupError if the
        container never ran, and RuntimeError if the kubelet controller does not run.
        """
        return self.containers.get(namespace, pod, name)

    def renewed(self) -> "FakeAPI":
        """Replaces the cluster by a new cluster, and moves the server to a new port.

        Returns a new FakeAPI for the server; this FakeAPI is not running any more. Clients of the old URL and
        kubeconfig lose their connections. Also ends the recording and writes its file.
        """
        server = self._running()
        if self.recording:
            self.stop_recording()
        server.restart_empty_on_new_port()
        self._detach()
        handle = FakeAPI(**{field.name: getattr(self._settings, field.name) for field in fields(Settings)})
        handle._attach(server)
        return handle

    @property
    def running(self) -> bool:
        """Whether the server is running."""
        return self._server is not None

    @property
    def port(self) -> int:
        """The port that the server listens on."""
        return self._running().port

    @property
    def url(self) -> str:
        """The URL of the server for clients on this machine, such as "http://127.0.0.1:8001"."""
        return self._running().url

    @property
    def page(self) -> str:
        """The URL of the live page in a browser; "" if the option `control` is False."""
        return f"{self.url}/_fakeapi/ui/" if self._settings.control else ""

    @property
    def ca_file(self) -> Path | None:
        """The path of a file with the CA certificate in PEM; None without TLS. `stop` removes the file."""
        return self._running().ca_file

    @property
    def kubeconfig(self) -> Path:
        """The path of a kubeconfig for this server.

        The option `kubeconfig` sets the path. Without the option, the file is temporary, and `stop` removes
        it.
        """
        return self._running().kubeconfig

    def _new_server(self) -> "RunningServer":
        if self._server is not None:
            raise RuntimeError("the server is running already")
        from fakeapi.testing.running import RunningServer  # noqa: PLC0415 - the server, loaded when it starts

        return RunningServer(self._settings)

    def _attach(self, server: "RunningServer") -> None:
        self._server = server
        self._connected = Wire(server.url, token=self._settings.token, tls=server.trust)
        atexit.register(self.stop)

    def _detach(self) -> "RunningServer | None":
        """Detaches this object from its server; returns the server, or None if the server was not running."""
        atexit.unregister(self.stop)
        server, self._server = self._server, None
        wire, self._connected = self._connected, None
        if wire is not None:
            wire.close()
        return server


FakeAPI.__doc__ = f"{FakeAPI.__doc__}{described()}\n"
