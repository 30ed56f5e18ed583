"""Cluster: the objects, API resources and clock of one API server, without HTTP.

Combines the object storage, the catalogue of API resources and the clock according to the settings. The
request journal, faults, controllers and snapshots use a cluster; `fakeapi.http` serves it to clients.
"""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Protocol

import msgspec

from fakeapi.admission.plugin import Selection
from fakeapi.admission.selection import selected
from fakeapi.clock.adjustable import ClusterClock, seconds_of
from fakeapi.clock.clocks import ClockAndNames
from fakeapi.controlplane.inventory import Inventory
from fakeapi.controlplane.registry import Registry, open_registry, serve_stored_definitions
from fakeapi.controlplane.stored_format import STORED_FORMAT, check_stored
from fakeapi.devices.drivers import SimulatedDrivers
from fakeapi.journal.journal import Journal
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.identity.token_settings import DEFAULT_TOKEN_SETTINGS
from fakeapi.registry.identity.users import User
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.service_network import ServiceNetwork
from fakeapi.registry.server import Server
from fakeapi.registry.store import Store
from fakeapi.registry.webhooks.outbound import Outbound, ServiceUrls
from fakeapi.registry.webhooks.transport import Transport
from fakeapi.releases import Serving, gates, served
from fakeapi.run_images import RunImages
from fakeapi.settings import Settings
from fakeapi.shared_settings import check_shareable, common_settings
from fakeapi.snapshots.kept import KeptSnapshots
from fakeapi.snapshots.model import Snapshot
from fakeapi.snapshots.served import check_served
from fakeapi_storage import SharedStorage, Storage, open_storage, parse_location

if TYPE_CHECKING:
    from fakeapi.controlplane.bootstrap.authentication_trust import AuthenticationTrust
    from fakeapi.controlplane.sharing import Sharing
    from fakeapi.faults.armed import ArmedFaults
    from fakeapi.outbound.client_identity import ClientIdentity


def _transport() -> Transport:
    from fakeapi.outbound.posting import PostingClient  # noqa: PLC0415 - loaded only for webhooks

    return PostingClient()


log = logging.getLogger("fakeapi")


class Follower(Protocol):
    """An object that the cluster notifies before and after a reset or restore replaces all objects."""

    async def before_replacement(self) -> None:
        """Stops using the stored objects, because the cluster replaces them next."""
        ...

    async def after_replacement(self, *, empty: bool) -> None:
        """Continues with the new objects. `empty`: whether the cluster was reset to its initial objects."""
        ...


class Attachment:
    """A Follower that a server also starts and stops, such as controllers or faults to arm.

    The methods do nothing. Subclasses override the methods that they need.
    """

    async def start(self) -> None:
        """Called after the API has started."""

    async def stop(self) -> None:
        """Called before the API stops, even if `start` failed or was not called."""

    async def before_replacement(self) -> None:
        """Called before a reset or a restore replaces all objects."""

    async def after_replacement(self, *, empty: bool) -> None:
        """Called after a reset or a restore. `empty`: whether the cluster has only its initial objects."""


def _clock(settings: Settings) -> ClusterClock:
    try:
        frozen_at = None if settings.frozen_at is None else seconds_of(settings.frozen_at)
    except ValueError as error:
        raise ValueError(f"frozen_at: {error}") from None
    return ClusterClock(seed=settings.seed, frozen_at=frozen_at)


def _modes(settings: Settings) -> tuple[str, ...]:
    """Returns the modes of the authorizer for the options `authorization` and `node_authorization`."""
    if settings.authorization == "rbac" and settings.node_authorization:
        return ("node", "rbac")
    return (settings.authorization,)


class InCluster(msgspec.Struct, frozen=True):
    """The HTTPS address of the server for processes of containers.

    `ca`: the CA certificates (PEM) that verify the server.
    """

    host: str
    port: int
    ca: str


CloseListener = Callable[[], Awaitable[None]]
"""Closes a listener and its connections."""


async def _no_listener(listener: socket.socket) -> CloseListener:
    """Default of `Cluster.listen_in_pod`: serves nothing. The returned function closes the socket."""

    async def close() -> None:
        listener.close()

    return close


async def _no_address() -> InCluster | None:
    """Returns None: the default of `Cluster.in_cluster`."""
    return None


def _nothing() -> None:
    """Does nothing: the default of `Cluster.on_first_fault`."""


class Cluster:
    """A Kubernetes cluster without HTTP: its objects, its served API resources, and its clock.

    Call all methods from the same event loop.
    """

    def __init__(self, settings: Settings) -> None:
        """Creates the cluster from settings; `start` opens its storage.

        - Raises UnknownReleaseError for a release that fakeapi does not have.
        - Raises UnknownGateError or GateError for an invalid feature gate.
        - Raises RuntimeConfigError, AdmissionPluginError or ServiceUrlError if the options `runtime_config`,
          `enable_admission_plugins`, `disable_admission_plugins` or `webhook_services` are invalid.
        - Raises RunImageError if the option `run` is invalid.
        - Raises ValueError for an invalid `frozen_at`, `service_cluster_ip_range` or
          `service_node_port_range`, and for settings that do not work with a shared database.
        """
        self.settings = settings
        self.clock: ClockAndNames = settings.clock or _clock(settings)
        self._serving: Serving = served(
            settings.release, gates.chosen(settings.feature_gates), settings.runtime_config
        )
        self._plugins: Selection = selected(
            settings.enable_admission_plugins, settings.disable_admission_plugins
        )
        self._service_network = ServiceNetwork.parse(
            settings.service_cluster_ip_range, settings.service_node_port_range
        )
        self.token_users: Mapping[str, User] = {}
        """The users of the server by their bearer tokens, for TokenReviews. Set it before `start`."""
        self.authentication_trust: AuthenticationTrust | None = None
        """The CAs and proxies that the server trusts, for the ConfigMap with them. Set it before `start`."""
        self.proxy_identity: ClientIdentity | None = None
        """The client certificate for the servers behind APIServices; None for none."""
        self._registry: Registry | None = None
        self._outbound = Outbound(_transport, ServiceUrls.parse(settings.webhook_services))
        self.journal = Journal()
        """The journal of the last requests.

        `fakeapi.http` records requests unless the option `journal` is "off".
        """
        self.armed_faults: ArmedFaults | None = None
        """The armed faults; None until the property `faults` is first read."""
        self.drivers = SimulatedDrivers()
        """The simulated DRA drivers. The controller kubelet runs them."""
        self.on_first_fault: Callable[[], None] = _nothing
        """Called when the property `faults` is first read, to load the code for faults."""
        self._followers: list[Callable[[], None]] = []
        self.service_urls = self._outbound.services
        """The URLs that replace Services of webhooks."""
        self.run_images = RunImages(settings.run)
        """The images whose containers the kubelet runs as local processes."""
        self.in_cluster: Callable[[], Awaitable[InCluster | None]] = _no_address
        """Returns the address of the server for processes of containers; None without a listener."""
        self.listen_in_pod: Callable[[socket.socket], Awaitable[CloseListener]] = _no_listener
        """Serves the API over HTTPS on a socket in the network namespace of a pod."""
        self.certificate_authority = ""
        """The CA certificates (PEM) that verify the server; "" for plain HTTP."""
        self.snapshots = KeptSnapshots()
        self._state_followers: list[Follower] = []
        self._replacing = asyncio.Lock()
        self._sharing: Sharing | None = None
        self._reloads: set[asyncio.Task[None]] = set()
        check_shareable(settings)

    @property
    def registry(self) -> Registry:
        """The served API resources with their object storage. Raises RuntimeError before `start`."""
        if self._registry is None:
            raise RuntimeError("the cluster is not started")
        return self._registry

    @property
    def adjustable_clock(self) -> ClusterClock:
        """The cluster's clock, with methods to freeze it and to move it forward.

        Raises RuntimeError if several servers share the database, or if the option `clock` supplied a clock
        that is not a ClusterClock.
        """
        if self._sharing is not None:
            raise RuntimeError("several servers share the database, so the clock cannot be frozen or moved")
        if not isinstance(self.clock, ClusterClock):
            problem = "the option `clock` supplied the server's clock: use the methods of that object"
            raise RuntimeError(problem)  # noqa: TRY004 - a state, not an argument's type
        return self.clock

    @property
    def storage(self) -> Storage:
        return self.registry.storage

    @property
    def server(self) -> Server:
        return self.registry.server

    @property
    def store(self) -> Store:
        return self.registry.store

    @property
    def bootstrap(self) -> Bootstrap:
        return self.registry.bootstrap

    @property
    def catalogue(self) -> Catalogue:
        return self.registry.catalogue

    @property
    def inventory(self) -> Inventory:
        """Determines which resources have objects."""
        return Inventory(self.storage, self.catalogue)

    @property
    def faults(self) -> "ArmedFaults":
        """The faults of the server. The first read creates them and calls `on_first_fault`."""
        if self.armed_faults is None:
            from fakeapi.faults.armed import ArmedFaults  # noqa: PLC0415 - loaded only when used

            self.armed_faults = ArmedFaults(self.catalogue, self.clock, lambda: self.storage.revision)
            self.on_first_fault()
        return self.armed_faults

    async def start(self) -> None:
        """Opens the storage and creates the initial objects.

        Raises StorageError if the storage cannot be opened, or contains objects that the server does not
        serve. Raises ApiError if an initial object cannot be created.
        """
        settings = self.settings
        storage = await open_storage(
            settings.database,
            durability=settings.durability,
            window=settings.history,
            data_format=STORED_FORMAT,
            settings=common_settings(settings),
        )
        try:
            registry = open_registry(
                storage,
                self._serving,
                self.clock,
                self._plugins,
                self._outbound,
                tokens=settings.service_account_tokens or DEFAULT_TOKEN_SETTINGS,
                service_network=self._service_network,
            )
            registry.server.token_users = self.token_users
            if self.authentication_trust is not None:
                registry.bootstrap.additional["", "configmaps"] = self.authentication_trust.objects
            if settings.authorization != "always-allow":
                registry.authorize(_modes(settings))
            if settings.database:
                location = parse_location(settings.database).text
                await serve_stored_definitions(registry)
                await check_stored(storage, registry.catalogue, location, settings.release or "")
            await registry.ensure_initial_objects()
            if registry.store.shared is not None:
                await self._share(registry, registry.store.shared)
        except BaseException:
            await storage.close()
            raise
        self._registry = registry
        self._warn_of_gates()

    def _warn_of_gates(self) -> None:
        """Logs a warning with the names of configured feature gates that have no effect.

        Does not use `warnings.warn`, because strict test suites turn Python warnings into errors.
        """
        chosen = gates.chosen(self.settings.feature_gates)
        if not chosen:
            return
        names = gates.ineffective(chosen, [release.minor for release in self._serving.releases])
        if names:
            log.warning("these feature gates have no effect in fakeapi: %s", ", ".join(names))

    async def reset(self) -> None:
        """Resets the cluster to its initial objects.

        Ends the watches of the storage, and empties the journal and the faults. Returns the clock to the
        machine's time, or to the option `frozen_at`. Restarts the sequence of random values from the seed. A
        clock of the option `clock` stays unchanged, unless the clock is a ClusterClock.
        """

        async def replace() -> None:
            await self.storage.reset()
            self.journal.clear()
            if self.armed_faults is not None:
                self.armed_faults.forget()
            if isinstance(self.clock, ClusterClock):
                self.clock.begin_again()
            self._forget()
            self.bootstrap.start_over()
            await self.registry.ensure_initial_objects()
            if self._sharing is not None:
                await self._sharing.make_initial_objects()

        await self._replace(replace, empty=True)

    async def snapshot(self) -> Snapshot:
        """Captures all objects, including every accepted write.

        Raises ApiError if an accepted write cannot be committed.
        """
        await self.store.settle()
        pending = frozenset(self.bootstrap.pending)
        return Snapshot(self.storage.checkpoint(), self.settings.release or "", self.store.now(), pending)

    async def restore(self, snapshot: Snapshot, *, rewind: bool = False) -> None:
        """Replaces all objects by the objects of a snapshot, with their uids and resourceVersions.

        Open watches end. The clock and the sequence of random values continue.

        - `rewind`: if true, the next resourceVersion follows the snapshot's resourceVersion. If false, new
          resourceVersions are newer than all resourceVersions of the cluster and of the snapshot. Older
          resourceVersions then get 410 Expired, so that clients list again.

        Raises SnapshotError if the cluster does not serve the kind of an object, and StorageError if the
        storage cannot be written. After either error, no object has changed.
        """
        check_served(snapshot, self.catalogue)

        async def replace() -> None:
            await self.storage.restore(snapshot.checkpoint, rewind=rewind)
            self._forget()
            self.bootstrap.start_over(snapshot.pending)
            self.registry.activate_plugins()
            await serve_stored_definitions(self.registry)
            if self._sharing is not None:
                await self._sharing.make_initial_objects()

        await self._replace(replace, empty=False)

    def follow(self, follower: Follower) -> None:
        """Registers an object that the cluster calls before and after it replaces all objects.

        The cluster calls `before_replacement` in reverse order of registration, and `after_replacement` in
        order.
        """
        self._state_followers.append(follower)

    async def _replace(self, replace: Callable[[], Awaitable[None]], *, empty: bool) -> None:
        async with self._replacing:
            for follower in reversed(self._state_followers):
                await follower.before_replacement()
            try:
                await replace()
            finally:
                for follower in self._state_followers:
                    await follower.after_replacement(empty=empty)

    async def _share(self, registry: Registry, storage: SharedStorage) -> None:
        """Starts to apply changes from other servers with the same storage.

        Raises ApiError or StorageError if the storage cannot be read or written.
        """
        from fakeapi.controlplane.sharing import Sharing  # noqa: PLC0415 - loaded only for shared storage

        self._sharing = Sharing(registry, storage)
        await self._sharing.start()
        storage.on_reload(self._reload)

    def _reload(self, is_replaced: bool) -> None:  # noqa: FBT001 - a callback
        """Reads all objects again after another server replaced them, or after this server missed changes.

        `is_replaced`: whether another server replaced the objects. Does nothing while this server itself
        replaces all objects.
        """
        if self._replacing.locked():
            return

        async def replace() -> None:
            self._forget()
            await self._serve_stored()

        work = self._replace(replace, empty=False) if is_replaced else self._serve_stored()
        task = asyncio.get_running_loop().create_task(work)
        self._reloads.add(task)
        task.add_done_callback(self._reloads.discard)

    async def _serve_stored(self) -> None:
        self.store.forget_changes()
        self.registry.activate_plugins()
        if self.server.has_custom:
            await self.server.custom.restore()
        else:
            await serve_stored_definitions(self.registry)

    def _forget(self) -> None:
        self.server.forget()
        self.server.disconnect()
        for resource in self.catalogue.resources:
            resource.forget_lists()

    def on_end(self, end: Callable[[], None]) -> Callable[[], None]:
        """Registers a function to call when the server stops, or when it closes all connections.

        Returns a function that cancels the registration.
        """
        self._followers.append(end)
        return lambda: self._followers.remove(end)

    def end_followers(self) -> None:
        """Calls the functions that `on_end` registered. Does not end watches; `fakeapi.http` ends them."""
        for end in [*self._followers]:
            end()

    async def stop(self) -> None:
        """Commits all accepted writes and closes the storage. Does nothing if `start` did not succeed."""
        if self._sharing is not None:
            self._sharing.stop()
        if self._registry is not None:
            self._registry.server.disconnect()
            await self._registry.storage.close()
