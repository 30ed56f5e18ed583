"""RunningServer: a cluster behind an HTTP listener, with its certificates, files and recording."""

import asyncio
import os
import secrets
import ssl
from collections.abc import Callable, Coroutine, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fakeapi.asgi import ASGIApp, Receive, Scope, Send
from fakeapi.clock.adjustable import ClusterClock
from fakeapi.cluster import Cluster
from fakeapi.controllers.names import ALL, chosen
from fakeapi.http.app import Application
from fakeapi.journal.entry import Entry
from fakeapi.machinery.hosts import connect_host, url_host
from fakeapi.machinery.json_types import Object
from fakeapi.serving.runner import Runner
from fakeapi.serving.start_error import StartError
from fakeapi.settings import Settings
from fakeapi.snapshots.kept import KeptSnapshots
from fakeapi.snapshots.model import Snapshot
from fakeapi.testing.attached_application import AttachedApplication
from fakeapi.testing.container_options import check_behaviours
from fakeapi.testing.driver_starter import DriverStarter, check_nodes, driver_specs
from fakeapi.testing.journal_access import JournalAccess
from fakeapi.testing.options_keeper import OptionsKeeper
from fakeapi.testing.server_controllers import ServerControllers
from fakeapi.testing.server_credentials import credentials_of, user_of
from fakeapi.testing.server_files import ServerFiles
from fakeapi.testing.server_names import accepted_hosts
from fakeapi.testing.server_recording import ServerRecording
from fakeapi.testing.server_simulation import ServerSimulation
from fakeapi.testing.server_tls import server_tls
from fakeapi.testing.server_trust import authentication_trust, proxy_identity
from fakeapi.traces.recording.middleware import Recorder

if TYPE_CHECKING:
    from fakeapi.controllers.controller_runner import ControllerRunner
    from fakeapi.controllers.kubelet.agent import NodeAgent
    from fakeapi.controllers.kubelet.controller import KubeletController
    from fakeapi.devices.drivers import SimulatedDrivers
    from fakeapi.explaining.explanation import Explanation
    from fakeapi.installing.manifest_installer import ManifestInstaller
    from fakeapi.testing.baseline import Baseline
    from fakeapi.testing.fault_armer import FaultArmer
    from fakeapi.testing.in_cluster_listener import InClusterListener
    from fakeapi.testing.server_faults import ServerFaults

T = TypeVar("T")


class RunningServer:
    """A server in this process that can be started and stopped once.

    The constructor opens the listening socket. The server answers requests between `start` and `stop`, or
    during `run`. In a forked process, `stop` does nothing, and methods that need the server's event loop
    raise RuntimeError.
    """

    def __init__(self, settings: Settings) -> None:
        """Creates the cluster and opens the socket.

        Raises ValueError for invalid options, such as an unknown release or gate. Raises StartError if the
        server cannot listen, issue certificates, read manifests or create the recording.
        """
        self._settings = settings
        self._process = os.getpid()
        cluster = Cluster(settings)
        self._credentials = credentials_of(settings)
        cluster.token_users = self._credentials.token_users
        cluster.authentication_trust = authentication_trust(settings)
        cluster.proxy_identity = proxy_identity(settings)
        self._tls = server_tls(settings)
        cluster.certificate_authority = "" if self._tls is None else self._tls.ca.decode("ascii")
        self._files = ServerFiles(settings, None if self._tls is None else self._tls.ca)
        check_nodes(settings)
        specs = driver_specs(settings)
        needs = [name for name, value in (("drivers", specs), ("run", settings.run)) if value]
        names = chosen(settings.controllers or (ALL if needs else ""))
        if needs and "kubelet" not in names:
            raise ValueError(f"the option {needs[0]} needs the controller kubelet: add it to `controllers`")
        check_behaviours(settings.containers, names)
        self._own_host = f"{secrets.token_hex(16)}.invalid"  # web pages cannot guess this host
        self._hosts = accepted_hosts(settings).also(self._own_host)
        self._cluster = cluster
        self._control: ASGIApp | None = None
        control = self._answer_control if settings.control else None
        self._recorder = Recorder(
            Application(cluster, credentials=self._credentials, hosts=self._hosts, control=control)
        )
        self._controllers = ServerControllers(self._new_controllers, names)
        self.warnings: dict[str, None] = {}  # the Warning headers of responses to installations
        starter = DriverStarter(cluster, specs, settings.nodes)
        attachments = (
            OptionsKeeper(cluster),
            starter,
            self._in_cluster_listener(),
            self._controllers,
            self._new_installer(),
            self._new_armer(),
        )
        self._app = AttachedApplication(
            self._recorder, cluster, [attachment for attachment in attachments if attachment is not None]
        )
        self._simulation = ServerSimulation(cluster, self._controllers)
        self._runner = Runner(
            self._app,
            host=settings.host,
            port=settings.port,
            tls=None if self._tls is None else self._tls.contexts,
            grace=settings.grace,
        )
        self._port = self._runner.port
        self._recording = ServerRecording(self._recorder, settings)
        if settings.record is not None:
            self._recording.start_with_server(settings.record, self.stop)

    def start(self) -> None:
        """Starts the server in a new thread; returns when the server answers requests.

        Raises StartError if the server cannot start.
        """
        try:
            self._runner.start()
            self._files.announce(self.url)
        except BaseException:
            self._recording.drop()
            self.stop()
            raise

    def run(self, on_ready: Callable[[], None]) -> None:
        """Serves until SIGINT or SIGTERM, and then stops. Call it in the main thread.

        `on_ready`: called when the server answers requests. Raises StartError if the server cannot start, and
        TraceError if it cannot write the recording.
        """

        def ready() -> None:
            self._files.announce(self.url)
            on_ready()

        try:
            self._runner.run(ready)
        except BaseException:
            self._recording.drop()
            raise
        finally:
            self.stop()

    def stop(self) -> None:
        """Ends watches, connections and the thread; removes temporary files. A second call does nothing.

        Writes the recording, and raises TraceError if that fails. In a forked process, this method does
        nothing, because the server, its files and its recording belong to the parent process.
        """
        if self._process != os.getpid():
            return
        self._runner.stop()
        try:
            self._recording.close()
        finally:
            self._files.remove()

    def node(self, name: str) -> "NodeAgent":
        """Returns a node of the kubelet controller by name.

        Raises KeyError for an unknown node, and RuntimeError if the kubelet controller does not run.
        """
        return self.kubelet.nodes[name]

    @property
    def kubelet(self) -> "KubeletController":
        """The kubelet controller. Raises RuntimeError if it does not run."""
        return self._simulation.kubelet()

    def call(self, function: "Callable[[], Coroutine[Any, Any, T]]") -> T:
        """Runs a coroutine function in the event loop of the server; returns its result."""
        return self._runner.call(function)

    def now(self) -> float:
        """Returns the time of the server's clock, in seconds since the epoch."""
        return self._cluster.clock.now()

    @property
    def drivers(self) -> "SimulatedDrivers":
        """The simulated DRA drivers. Use them only in the event loop of the server."""
        return self._cluster.drivers

    @property
    def simulation(self) -> "ServerSimulation":
        """The nodes, simulated drivers and images of the server. Use it only in its event loop."""
        return self._simulation

    def check_driver(self, name: str) -> None:
        """Raises DeviceError if the server has no simulated driver with this name."""

        async def check() -> None:
            _ = self.drivers[name]

        self._runner.call(check)

    def remove_driver(self, name: str) -> None:
        """Stops and removes a simulated driver. Raises DeviceError for an unknown driver."""

        async def remove() -> None:
            self.drivers.remove(name)

        self._runner.call(remove)

    def explain(self, kind: str, namespace: str, name: str) -> "Explanation":
        """Explains an object. Raises ValueError for a kind that cannot be explained, or an invalid name."""
        from fakeapi.explaining.explain import place_of, resource_of  # noqa: PLC0415 - loaded only when used
        from fakeapi.explaining.running_server import explain_running  # noqa: PLC0415 - loaded only when used

        resource = resource_of(kind)
        where, own = place_of(resource, name, default=namespace)
        return self._runner.call(
            lambda: explain_running(self._cluster, self._controllers.runner, resource, where, own)
        )

    @property
    def clock(self) -> ClusterClock:
        """The clock of the cluster. Tests can freeze the clock and move it forward.

        Raises RuntimeError if the option `clock` supplied another clock, or if several servers share the
        database.
        """
        return self._cluster.adjustable_clock

    def settle(self, seconds: float) -> None:
        """Waits until the controllers have no work left, except work that is scheduled for a later time.

        Raises NotSettled if the controllers still have work after `seconds`. Raises RuntimeError if no
        controllers run.
        """
        if self._controllers.runner is None:
            raise RuntimeError("no controllers run: set the option `controllers`")
        manager = self._controllers.runner.manager
        self._runner.call(lambda: manager.settle(seconds))

    def reset(self) -> None:
        """Replaces the cluster by a new cluster. Watches end; connections stay open."""
        self._runner.reset()

    @property
    def snapshots(self) -> KeptSnapshots:
        return self._cluster.snapshots

    def snapshot(self) -> Snapshot:
        """Returns a snapshot of all objects. Raises ApiError if an accepted write cannot be committed."""
        return self._runner.call(self._cluster.snapshot)

    def restore(self, snapshot: Snapshot, *, rewind: bool) -> None:
        """Replaces all objects by the objects of a snapshot. Watches end; connections stay open.

        `rewind`: if true, the next resourceVersion follows the snapshot's resourceVersion. If false, new
        resourceVersions are newer than all resourceVersions of the cluster and of the snapshot.

        Raises SnapshotError if the cluster does not serve the kind of an object, and StorageError if the
        storage cannot be written.
        """
        self._runner.call(lambda: self._cluster.restore(snapshot, rewind=rewind))

    def baseline(self) -> "Baseline":
        """Captures the current objects, clock, armed faults and simulation.

        Raises ApiError if an accepted write cannot be committed.
        """
        from fakeapi.testing import baseline  # noqa: PLC0415 - loaded only when used

        return self._runner.call(lambda: baseline.take(self._cluster, self._controllers))

    def return_to(self, wanted: "Baseline") -> None:
        """Restores the objects, the clock, the armed faults and the simulation of a baseline.

        Clears the journal. Watches end; connections stay open. Raises SnapshotError if the cluster does not
        serve the kind of an object, and StorageError if the storage cannot be written.
        """
        from fakeapi.testing import baseline  # noqa: PLC0415 - loaded only when used

        self._runner.call(lambda: baseline.return_to(self._cluster, self._controllers, wanted))

    def restart_empty_on_new_port(self) -> None:
        """Replaces the cluster by a new cluster, closes all connections, and listens on a new port.

        Clients that use the old port get a refused connection.
        """
        self._runner.restart_empty_on_new_port()
        self._port = self._runner.port
        self._credentials.remove_added_users()
        self._files.remove()
        self._files.announce(self.url)

    @property
    def faults(self) -> "ServerFaults":
        """The faults of the server. Use them in the thread of a test."""
        from fakeapi.testing.server_faults import ServerFaults  # noqa: PLC0415 - loaded only when used

        return ServerFaults(self._cluster, self._runner)

    @property
    def journal(self) -> JournalAccess:
        """The journal of the server. Use it in the thread of a test."""
        return JournalAccess(self._cluster, self._runner)

    def count_objects(self) -> int:
        """Returns the number of stored objects, with those that every server creates by itself.

        Call it in the thread of the server, or before the server answers other requests.
        """
        page = self._cluster.storage.list("", limit=1)
        return len(page.entries) + page.remaining

    @property
    def port(self) -> int:
        return self._port

    @property
    def url(self) -> str:
        """The URL of the server for clients on this machine, without a slash at its end."""
        host = url_host(connect_host(self._settings.host))
        return f"{'http' if self._tls is None else 'https'}://{host}:{self.port}"

    @property
    def trust(self) -> ssl.SSLContext | None:
        """A TLS context that trusts the server's CA, for clients in this process; None without TLS."""
        return None if self._tls is None else self._tls.trust

    @property
    def ca_file(self) -> Path | None:
        """The path of a file with the CA certificate in PEM; None without TLS. `stop` removes the file."""
        return self._files.ca_file

    def on_request(self, listener: Callable[[Entry], None]) -> None:
        """Calls `listener` with each later request, in the server's event loop."""
        self._cluster.journal.subscribe(listener)

    @property
    def kubeconfig(self) -> Path:
        """The path of a kubeconfig for this server.

        The option `kubeconfig` sets the path. Without the option, the file is temporary, and `stop` removes
        it.
        """
        return self._files.kubeconfig(self.url, self.port)

    def kubeconfig_for(self, user: str, groups: tuple[str, ...]) -> Path:
        """Returns the path of a new kubeconfig for a user. The user gets its own bearer token."""
        token = secrets.token_urlsafe(32)
        known = user_of(user, groups)
        self._credentials.add_user(token, known)
        return self._files.kubeconfig_of_user(self.url, known, token)

    @property
    def recording(self) -> ServerRecording:
        """The recording of the server. Use it only in the event loop of the server."""
        return self._recording

    def install(self, sources: tuple[Any, ...]) -> list[Object]:
        """Installs the manifests of all sources; returns the stored objects.

        Raises InstallError if a manifest cannot be read, or if the server refuses an object.
        """
        from fakeapi.installing.manifest_installer import install  # noqa: PLC0415 - loaded only when used
        from fakeapi.installing.plan import plan_of  # noqa: PLC0415 - loaded only when used

        plan = plan_of(sources)
        token, host = self._settings.token, self._own_host
        keep = self.warnings.setdefault
        return self._runner.call(
            lambda: install(self._recorder, plan, token=token, host=host, on_warning=keep)
        )

    def _new_installer(self) -> "ManifestInstaller | None":
        """Returns an installer for the manifests of the option `install`; None without manifests.

        Raises StartError if a manifest cannot be read.
        """
        sources = self._settings.install
        if not isinstance(sources, str | Path | Mapping):
            sources = tuple(sources)
        if not sources:
            return None
        from fakeapi.installing.manifest_installer import ManifestInstaller  # noqa: PLC0415 - loaded only when used
        from fakeapi.installing.sources import InstallError  # noqa: PLC0415 - loaded only when used

        try:
            token, host, keep = self._settings.token, self._own_host, self.warnings.setdefault
            return ManifestInstaller(self._recorder, (sources,), token=token, host=host, on_warning=keep)
        except InstallError as error:
            raise StartError(f"cannot install: {error}") from error

    def _in_cluster_listener(self) -> "InClusterListener":
        """Returns a listener for the processes of containers. The first process that needs the listener opens
        its socket.
        """
        from fakeapi.testing.in_cluster_listener import InClusterListener  # noqa: PLC0415 - loaded only when used

        cluster = self._cluster
        listener = InClusterListener(self._recorder, self._settings, lambda: self._port, self._tls)
        cluster.in_cluster = listener.address
        cluster.listen_in_pod = listener.listen
        return listener

    async def _answer_control(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves a request to the control API. The first request creates the control API.

        This method imports the modules of the control API in a thread, because the import takes 0.1 s.
        """
        if self._control is None:
            await asyncio.to_thread(_import_control)
        if self._control is None:
            from fakeapi.control.app import control_api  # noqa: PLC0415 - loaded only when used
            from fakeapi.control.controlled import Controlled  # noqa: PLC0415 - loaded only when used

            token = self._settings.token
            server = Controlled(
                self._cluster,
                self._recorder,
                self._app.reset,
                self._simulation,
                token=token,
                host=self._own_host,
                controllers=lambda: self._controllers.runner,
            )
            self._control = control_api(server, credentials=self._credentials, hosts=self._hosts)
        await self._control(scope, receive, send)

    def _new_armer(self) -> "FaultArmer | None":
        """Returns a FaultArmer for the rules of the option `faults`; None without rules.

        Raises RuleError for an invalid rule.
        """
        source = self._settings.faults
        if not isinstance(source, str | Path | Mapping):
            source = tuple(source)
        if not source:
            return None
        from fakeapi.faults.reading import read_rules  # noqa: PLC0415 - loaded only when used
        from fakeapi.testing.fault_armer import FaultArmer  # noqa: PLC0415 - loaded only when used

        return FaultArmer(self._cluster, read_rules(source))

    def _new_controllers(self, names: list[str]) -> "ControllerRunner":
        from fakeapi.controllers.controller_runner import ControllerRunner  # noqa: PLC0415 - loaded only when used

        return ControllerRunner(
            self._recorder, self._cluster, names, token=self._settings.token, host=self._own_host
        )


def _import_control() -> None:
    """Imports the modules of the control API."""
    import_module("fakeapi.control.app")
    import_module("fakeapi.control.handlers").all_routes()
