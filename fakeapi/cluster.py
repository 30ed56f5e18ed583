"""Cluster: the state of one API server without HTTP.

It joins storage, catalogue and clock according to the settings. What else works on the state of a cluster
(journal, faults, controllers, snapshots) belongs to it; how clients reach it is `fakeapi.http`'s work.
"""

from collections.abc import Callable

from fakeapi.journal.journal import Journal
from fakeapi.registry.admission.selection import Selection, selected
from fakeapi.registry.bootstrap.making import Bootstrap
from fakeapi.registry.catalogue import Catalogue
from fakeapi.registry.clock import ClockAndNames, SystemClockAndNames
from fakeapi.registry.registry import Registry, open_registry, serve_stored_definitions
from fakeapi.registry.store import Store
from fakeapi.registry.stored_format import STORED_FORMAT, check_stored
from fakeapi.registry.webhooks.outbound import Outbound, ServiceUrls
from fakeapi.registry.webhooks.transport import Transport
from fakeapi.releases import Serving, gates, served
from fakeapi.settings import Settings
from fakeapi_storage import Storage, open_storage


def _transport() -> Transport:
    from fakeapi.outbound.posting import PostingClient  # noqa: PLC0415 - for webhooks alone

    return PostingClient()


class Cluster:
    """The objects of one cluster, and what is served of them; used in one event loop."""

    def __init__(self, settings: Settings) -> None:
        """Raises UnknownReleaseError, UnknownGateError, GateError, RuntimeConfigError,
        AdmissionPluginError, ServiceUrlError.
        """
        self.settings = settings
        self.clock: ClockAndNames = settings.clock or SystemClockAndNames()
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
        self._followers: list[Callable[[], None]] = []
        self.certificate_authority = ""
        """The certificates, in PEM, that clients verify the server with; empty where it speaks plain HTTP."""

    @property
    def registry(self) -> Registry:
        """Raises RuntimeError for a cluster that is not started."""
        if self._registry is None:
            raise RuntimeError("the cluster is not started")
        return self._registry

    @property
    def storage(self) -> Storage:
        return self.registry.storage

    @property
    def store(self) -> Store:
        return self.registry.store

    @property
    def bootstrap(self) -> Bootstrap:
        return self.registry.bootstrap

    @property
    def catalogue(self) -> Catalogue:
        return self.registry.catalogue

    async def start(self) -> None:
        """Opens the storage and makes the state of an empty cluster. Raises what the storage raises."""
        settings = self.settings
        storage = await open_storage(
            settings.database,
            durability=settings.durability,
            window=settings.history,
            data_format=STORED_FORMAT,
        )
        try:
            registry = open_registry(storage, self._serving, self.clock, self._plugins, self._outbound)
            if settings.authorization == "rbac":
                registry.authorize_by_roles()
            if settings.database:
                location = str(settings.database)
                await serve_stored_definitions(registry)
                await check_stored(storage, registry.catalogue, location, settings.release or "")
            await registry.ensure_initial_objects()
        except BaseException:
            await storage.close()
            raise
        self._registry = registry

    async def reset(self) -> None:
        """Begins again as a new cluster: no objects but the first namespaces. Watches of the storage end."""
        await self.storage.reset()
        self.journal.clear()
        self.store.forget()
        self.store.disconnect()
        self.registry.bootstrap.forget()
        await self.registry.ensure_initial_objects()

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
        if self._registry is not None:
            self._registry.store.disconnect()
            await self._registry.storage.close()
