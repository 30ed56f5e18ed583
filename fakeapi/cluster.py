"""Cluster: the state of one API server without HTTP.

It joins storage, catalogue and clock according to the settings. What else works on the state of a cluster
(journal, faults, controllers, snapshots) belongs to it; how clients reach it is `fakeapi.http`'s work.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from fakeapi.admission.plugin import Selection
from fakeapi.admission.selection import selected
from fakeapi.clock.adjustable import ClusterClock, seconds_of
from fakeapi.clock.clocks import ClockAndNames
from fakeapi.controlplane.registry import Registry, open_registry, serve_stored_definitions
from fakeapi.controlplane.stored_format import STORED_FORMAT, check_stored
from fakeapi.journal.journal import Journal
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.server import Server
from fakeapi.registry.store import Store
from fakeapi.registry.webhooks.outbound import Outbound, ServiceUrls
from fakeapi.registry.webhooks.transport import Transport
from fakeapi.releases import Serving, gates, served
from fakeapi.settings import Settings
from fakeapi.shared_settings import check_shareable, common_settings
from fakeapi.snapshots.kept import KeptSnapshots
from fakeapi.snapshots.model import Snapshot
from fakeapi.snapshots.served import check_served
from fakeapi_storage import SharedStorage, Storage, open_storage, parse_location

if TYPE_CHECKING:
    from fakeapi.controlplane.sharing import Sharing
    from fakeapi.faults.armed import ArmedFaults


def _transport() -> Transport:
    from fakeapi.outbound.posting import PostingClient  # noqa: PLC0415 - for webhooks alone

    return PostingClient()


log = logging.getLogger("fakeapi")


class Follower(Protocol):
    """Works on the state of a cluster, and is told in its loop when all of the state is replaced."""

    async def before_replacement(self) -> None:
        """Lets go of the state that goes."""
        ...

    async def after_replacement(self, *, empty: bool) -> None:
        """Begins with the new one; `empty`: that of a new cluster."""
        ...


def _clock(settings: Settings) -> ClusterClock:
    frozen_at = None if settings.frozen_at is None else seconds_of(settings.frozen_at)
    return ClusterClock(seed=settings.seed, frozen_at=frozen_at)


def _nothing() -> None:
    """Nobody acts by faults."""


class Cluster:
    """The objects of one cluster, and what is served of them; used in one event loop."""

    def __init__(self, settings: Settings) -> None:
        """Raises UnknownReleaseError, UnknownGateError, GateError, RuntimeConfigError,
        AdmissionPluginError, ServiceUrlError, ValueError for a time that is none.
        """
        self.settings = settings
        self.clock: ClockAndNames = settings.clock or _clock(settings)
        self._serving: Serving = served(
            settings.release, gates.chosen(settings.feature_gates), settings.runtime_config
        )
        self._plugins: Selection = selected(
            settings.enable_admission_plugins, settings.disable_admission_plugins
        )
        self._registry: Registry | None = None
        self._outbound = Outbound(_transport, ServiceUrls.parse(settings.webhook_services))
        self.journal = Journal()
        """The requests that were answered; `fakeapi.http` notes them unless the settings say otherwise."""
        self.armed_faults: ArmedFaults | None = None
        """The faults, once somebody has asked for `faults`."""
        self.on_first_fault: Callable[[], None] = _nothing
        """Called when that is; it loads what acts by them."""
        self._followers: list[Callable[[], None]] = []
        self.certificate_authority = ""
        """The certificates, in PEM, that clients verify the server with; empty where it speaks plain HTTP."""
        self.snapshots = KeptSnapshots()
        self._state_followers: list[Follower] = []
        self._replacing = asyncio.Lock()
        self._sharing: Sharing | None = None
        self._reloads: set[asyncio.Task[None]] = set()
        check_shareable(settings)

    @property
    def registry(self) -> Registry:
        """Raises RuntimeError for a cluster that is not started."""
        if self._registry is None:
            raise RuntimeError("the cluster is not started")
        return self._registry

    @property
    def adjustable_clock(self) -> ClusterClock:
        """The clock, to be frozen and moved. Raises RuntimeError where the settings brought another kind."""
        if self._sharing is not None:
            raise RuntimeError("several servers share the state: their clocks stay the machine's")
        if not isinstance(self.clock, ClusterClock):
            problem = "the server's clock was given by the option `clock`: move it there"
            raise RuntimeError(problem)  # noqa: TRY004 - not the type of an argument
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
    def faults(self) -> "ArmedFaults":
        """The faults that are armed, to which more can be added."""
        if self.armed_faults is None:
            from fakeapi.faults.armed import ArmedFaults  # noqa: PLC0415 - only where asked for

            self.armed_faults = ArmedFaults(self.catalogue, self.clock, lambda: self.storage.revision)
            self.on_first_fault()
        return self.armed_faults

    async def start(self) -> None:
        """Opens the storage and makes the state of an empty cluster. Raises what the storage raises."""
        settings = self.settings
        storage = await open_storage(
            settings.database,
            durability=settings.durability,
            window=settings.history,
            data_format=STORED_FORMAT,
            settings=common_settings(settings),
        )
        try:
            registry = open_registry(storage, self._serving, self.clock, self._plugins, self._outbound)
            if settings.authorization == "rbac":
                registry.authorize_by_roles()
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
        """Logs the chosen gates without an effect.

        A log record and not a Python warning, as strict test suites turn those into errors.
        """
        chosen = gates.chosen(self.settings.feature_gates)
        names = gates.ineffective(chosen, [release.minor for release in self._serving.releases])
        if names:
            log.warning("these feature gates have no effect in fakeapi: %s", ", ".join(names))

    async def reset(self) -> None:
        """Begins again as a new cluster: no objects but the first namespaces. Watches of the storage end.

        The clock shows the machine's time again, or where the settings froze it, and a seed begins anew.
        """

        async def replace() -> None:
            await self.storage.reset()
            self.journal.clear()
            if self.armed_faults is not None:
                self.armed_faults.forget()
            if isinstance(self.clock, ClusterClock):
                self.clock.begin_again()
            self._forget()
            self.registry.bootstrap.forget()
            await self.registry.ensure_initial_objects()
            if self._sharing is not None:
                await self._sharing.make_initial_objects()

        await self._replace(replace, empty=True)

    async def snapshot(self) -> Snapshot:
        """The objects as they are, with everything that was accepted. Raises ApiError."""
        await self.store.settle()
        pending = frozenset(self.bootstrap.pending)
        return Snapshot(self.storage.checkpoint(), self.settings.release or "", self.store.now(), pending)

    async def restore(self, snapshot: Snapshot, *, rewind: bool = False) -> None:
        """Replaces all objects by those of a snapshot, which keep uids and versions. Open watches end.

        resourceVersions go on after the newest there was, and older ones are Expired, so that clients list
        again; with `rewind` they repeat from the snapshot's. Clock and seed go on. Raises SnapshotError for
        objects that are not served here, and StorageError; then nothing has changed.
        """
        check_served(snapshot, self.catalogue)

        async def replace() -> None:
            await self.storage.restore(snapshot.checkpoint, rewind=rewind)
            self._forget()
            self.bootstrap.pending = set(snapshot.pending)
            self.registry.activate_plugins()
            await serve_stored_definitions(self.registry)
            if self._sharing is not None:
                await self._sharing.make_initial_objects()

        await self._replace(replace, empty=False)

    def follow(self, follower: Follower) -> None:
        """Tells of each replacement of the state; the last to follow is the first to let go."""
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
        """Begins to follow the other servers of the storage. Raises ApiError, StorageError."""
        from fakeapi.controlplane.sharing import Sharing  # noqa: PLC0415 - for several servers alone

        self._sharing = Sharing(registry, storage)
        await self._sharing.start()
        storage.on_reload(self._reload)

    def _reload(self, is_replaced: bool) -> None:  # noqa: FBT001 - a callback
        """Begins again with entries that another server replaced, unless this one is doing so itself; or goes
        on with those of which changes were missed.
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
        """Calls `end` when the server stops or closes its connections; returns what forgets it."""
        self._followers.append(end)
        return lambda: self._followers.remove(end)

    def end_followers(self) -> None:
        """Ends those who follow what happens, but for watches, which `fakeapi.http` ends."""
        for end in [*self._followers]:
            end()

    async def stop(self) -> None:
        """Closes the storage; what was accepted is committed. Not started, it does nothing."""
        if self._sharing is not None:
            self._sharing.stop()
        if self._registry is not None:
            self._registry.server.disconnect()
            await self._registry.storage.close()
