"""Registry: gives access to the parts of one API server, such as store, catalogue and admission."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from fakeapi.admission.chain import Admission
from fakeapi.admission.plugin import Selection
from fakeapi.admission.plugins import (
    ACTIVATED,
    CLAIM_STATUS_PERMISSIONS,
    ROLE_ESCALATION,
)
from fakeapi.admission.selection import selected
from fakeapi.clock.clocks import ClockAndNames
from fakeapi.controlplane.bootstrap import MAKERS
from fakeapi.controlplane.bootstrap.namespaces import INITIAL_NAMESPACES, MANAGER, stored_namespace
from fakeapi.kinds import definition_of
from fakeapi.kinds.common.defaults import apply_defaults
from fakeapi.kinds.core.namespace.definition import NAMESPACE
from fakeapi.kinds.core.namespace.lookup import Namespaces
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import times
from fakeapi.registry.bootstrap import Bootstrap
from fakeapi.registry.identity.token_settings import DEFAULT_TOKEN_SETTINGS, TokenSettings
from fakeapi.registry.model.catalogue import Catalogue
from fakeapi.registry.model.definition import KindDefinition, StrategyContext
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.model.service_network import DEFAULT_SERVICE_NETWORK, ServiceNetwork
from fakeapi.registry.requests.options import ObjectReference, WriteOptions
from fakeapi.registry.requests.write_request import WriteRequest
from fakeapi.registry.server import Server
from fakeapi.registry.store import Store
from fakeapi.registry.webhooks.outbound import NO_OUTBOUND, Outbound
from fakeapi.releases import Kind, Release, Serving
from fakeapi_storage import INITIAL_REVISION, Entry, KeyExists, Storage

if TYPE_CHECKING:
    from fakeapi.registry.custom.definitions import CustomResources

DEFINITIONS = "/apiextensions.k8s.io/customresourcedefinitions/"
"""The prefix of the storage keys of CustomResourceDefinitions."""


class Registry(msgspec.Struct, frozen=True):
    """Gives request handlers access to the parts of one API server, such as store and admission.

    `open_registry` creates a Registry.
    """

    server: Server
    admission: Admission
    catalogue: Catalogue
    namespaces: Namespaces
    context: StrategyContext
    bootstrap: Bootstrap

    @property
    def store(self) -> Store:
        return self.server.store

    @property
    def storage(self) -> Storage:
        return self.store.storage

    def serve(
        self, kinds: Iterable[Kind], release: Release, definition: KindDefinition | None = None
    ) -> None:
        """Serves additional kinds of a release.

        `definition`: the KindDefinition of all these kinds. By default, each kind has its own KindDefinition
        from `fakeapi.kinds`.
        """
        find = definition_of if definition is None else lambda _: definition
        self.catalogue.add(*(Resource(kind, release, find, self.context) for kind in kinds))

    def activate_plugins(self) -> None:
        """Turns on the admission plugins that stored objects need.

        For example, stored webhook configurations need the webhook plugin. Each other plugin in ACTIVATED is
        turned on when a client writes the first object that needs it.
        """
        for prefix, plugin in ACTIVATED.items():
            activate = partial(self.admission.extend, plugin)
            if self.storage.list(prefix, limit=1).entries:
                activate()
            else:
                self.store.on_first_change(prefix, activate)

    def authorize(self, modes: Sequence[str]) -> None:
        """Turns on an authorizer with the given modes: "node", "rbac" and "always-deny".

        Also turns on the admission plugins that check roles, bindings and the status of ResourceClaims.
        """
        from fakeapi.authorization.rbac import RBAC  # noqa: PLC0415 - only for RBAC
        from fakeapi.authorization.roles import GROUP, RESOURCES  # noqa: PLC0415 - only for RBAC

        async def ensure() -> None:
            for name in RESOURCES:
                if (GROUP, name) in self.bootstrap.pending:
                    resource = self.catalogue.find(GROUP, "v1", name)
                    if resource is not None:
                        await self.bootstrap.ensure(resource)

        self.server.authorizer = RBAC(self.server.objects, self.catalogue.primary, ensure, modes)
        self.admission.extend(ROLE_ESCALATION)
        self.admission.extend(CLAIM_STATUS_PERMISSIONS)

    async def ensure_initial_objects(self) -> None:
        """Creates the missing initial namespaces, one after the other.

        Raises ApiError if the server cannot create one of them.
        """
        resource = self.catalogue.find("", "v1", NAMESPACE.resource)
        if resource is None:
            return
        missing = [name for name in INITIAL_NAMESPACES if self.storage.newest(resource.key("", name)) is None]
        if self.storage.revision == INITIAL_REVISION:
            await self._begin(resource, missing)
            return
        from fakeapi.registry.verbs.creating import create  # noqa: PLC0415 - only if some were deleted

        for name in missing:
            body = resource.empty_object()
            body["metadata"]["name"] = name
            obj = resource.body_type.default(body)
            options = WriteOptions(manager=MANAGER)
            try:
                await create(WriteRequest(self.server, resource, ObjectReference(name=name), options), obj)
            except ApiError as error:
                if error.reason != "AlreadyExists":  # another server was faster
                    raise

    async def _begin(self, resource: Resource, names: Iterable[str]) -> None:
        """Stores the initial namespaces of a new cluster directly, without admission and validation."""
        store, hub = self.store, resource.definition.hub_api_version
        writes = [
            self.storage.create(
                resource.key("", name), stored_namespace(name, hub, store.clock.uid(), store.now())
            )
            for name in names
        ]
        for write in writes:
            with suppress(KeyExists):  # another server was faster
                await store.commit(resource, write)


class _StoredEntries(msgspec.Struct, frozen=True):
    """Lets strategies read the entries of a storage. Implements the protocol StoredEntries."""

    storage: Storage

    def newest(self, key: str) -> Entry | None:
        return self.storage.newest(key)

    def list(self, prefix: str) -> Iterable[Entry]:
        return self.storage.list(prefix).entries


def open_registry(
    storage: Storage,
    serving: Serving,
    clock: ClockAndNames,
    plugins: Selection | None = None,
    outbound: Outbound = NO_OUTBOUND,
    *,
    tokens: TokenSettings = DEFAULT_TOKEN_SETTINGS,
    service_network: ServiceNetwork = DEFAULT_SERVICE_NETWORK,
) -> Registry:
    """Creates the registry of a server that serves the kinds of `serving`.

    - `plugins`: the admission plugins; None for the result of `selected()`.
    - `outbound`: how to connect to webhooks.
    - `tokens`: the issuers, audiences and keys of service account tokens.
    - `service_network`: the ranges of cluster IPs and node ports.
    """
    namespaces = Namespaces(storage)
    context = StrategyContext(
        namespace_labels=namespaces.labels,
        now=lambda: times.now_text(clock.now()),
        entries=_StoredEntries(storage),
        fraction=clock.fraction,
        service_network=service_network,
        apply_defaults=apply_defaults,
    )
    catalogue = Catalogue((), serving.primary)

    def make_custom() -> "CustomResources":
        from fakeapi.registry.custom.definitions import CustomResources  # noqa: PLC0415 - rarely used

        return CustomResources(server, catalogue, context, bootstrap)

    server = Server(Store(storage, clock), catalogue.find, outbound, tokens)
    plugins = plugins or selected()
    server.admission = admission = Admission(plugins.entries, server, plugins.disabled)
    bootstrap = Bootstrap(server, catalogue, MAKERS)
    server.make_custom = make_custom
    registry = Registry(server, admission, catalogue, namespaces, context, bootstrap)
    for version in serving.versions:
        registry.serve(version.kinds, version.release)
    registry.activate_plugins()
    return registry


async def serve_stored_definitions(registry: Registry) -> None:
    """Serves the custom resources of all stored CustomResourceDefinitions.

    Raises ApiError if the server cannot read or store a definition.
    """
    if registry.storage.list(DEFINITIONS, limit=1).entries:
        await registry.server.custom.restore()
