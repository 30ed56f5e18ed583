"""Server: the parts of one API server that verbs and kinds use: store, admission, authorizer, webhooks."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from fakeapi.registry.admission.steps import AdmissionControl, NoAdmission
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW, Authorizer
from fakeapi.registry.identity.account_tokens import AccountTokens
from fakeapi.registry.objects import ClusterObjects, FindResource
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.store import Store
from fakeapi.registry.webhooks.outbound import NO_OUTBOUND, Outbound
from fakeapi_storage import Entry

if TYPE_CHECKING:
    from fakeapi.registry.webhooks.clients import WebhookClients


class APIServices(Protocol):
    """Maintains the APIServices for the group versions of custom resources."""

    async def follow(self, group: str) -> None:
        """Creates, changes or deletes the APIServices of a group to match its served versions."""
        ...


class CustomKinds(Protocol):
    """Serves the kinds of CustomResourceDefinitions."""

    @property
    def registration(self) -> APIServices:
        """Maintains the APIServices."""
        ...

    async def follow(self, name: str) -> None:
        """Does what upstream's controllers do after a write of the definition. Raises ApiError."""
        ...

    async def follow_deletion(self, name: str) -> None:
        """Continues the deletion of a definition after one of its objects was deleted."""
        ...

    def show(self, name: str, entry: Entry | None) -> bool:
        """Serves a definition as another server stored it; returns whether that server has finished."""
        ...

    async def restore(self) -> None:
        """Serves the stored definitions. Raises ApiError."""
        ...

    def forget(self) -> None:
        """Stops serving all custom kinds, because the state is replaced."""
        ...


class Server:
    """The store and the other parts of an API server that writes need.

    `find` finds a served resource by group, version and name; `objects` reads stored objects. `admission` and
    `authorizer` allow everything until they are set. `make_custom` creates `custom`; it is set once.
    """

    def __init__(self, store: Store, find: FindResource, outbound: Outbound = NO_OUTBOUND) -> None:
        self.store = store
        self.find = find
        self.objects = ClusterObjects(store, find)
        self.admission: AdmissionControl = NoAdmission()
        self.authorizer: Authorizer = ALWAYS_ALLOW
        self.tokens = AccountTokens(store.storage)
        self.heavy = HeavySteps()
        self.make_custom: Callable[[], CustomKinds] | None = None
        self._outbound = outbound
        self._custom: CustomKinds | None = None
        self._webhooks: WebhookClients | None = None

    @property
    def has_custom(self) -> bool:
        """Whether a CustomResourceDefinition was ever written or restored."""
        return self._custom is not None

    @property
    def custom(self) -> CustomKinds:
        """Serves the kinds of CustomResourceDefinitions; created for the first definition."""
        if self._custom is None:
            assert self.make_custom is not None, "set by fakeapi.controlplane.registry"
            self._custom = self.make_custom()
        return self._custom

    @property
    def webhooks(self) -> "WebhookClients":
        """The client that calls webhooks; created at first use."""
        if self._webhooks is None:
            from fakeapi.registry.webhooks.clients import WebhookClients  # noqa: PLC0415 - only for webhooks

            outbound = self._outbound
            self._webhooks = WebhookClients(outbound.transport(), outbound.services, self.objects, self.heavy)
        return self._webhooks

    def disconnect(self) -> None:
        """Closes the connections to webhooks."""
        if self._webhooks is not None:
            self._webhooks.close()

    def forget(self) -> None:
        """Drops all caches of the old state after a reset."""
        self.store.forget_changes()
        if self._custom is not None:
            self._custom.forget()
