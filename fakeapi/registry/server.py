"""Server: the parts of an API server that verbs and kinds use, such as store, admission and authorizer."""

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
        """Maintains the APIServices of custom groups."""
        ...

    async def follow(self, name: str) -> None:
        """Updates the status and the served kinds of a CRD after a write. Raises ApiError."""
        ...

    async def follow_deletion(self, name: str) -> None:
        """Continues the deletion of a CRD after one of its objects was deleted. Raises ApiError."""
        ...

    def show(self, name: str, entry: Entry | None) -> bool:
        """Serves a CRD that another server wrote; `entry` is None if it was deleted.

        Returns whether the controllers have nothing left to do for the CRD.
        """
        ...

    async def restore(self) -> None:
        """Serves the stored CRDs and no others. Raises ApiError."""
        ...

    def forget(self) -> None:
        """Stops serving all custom kinds, because the storage was emptied."""
        ...


class Server:
    """The store and the other parts of an API server that writes need.

    `find`: returns the served resource of a group, version and name.
    `outbound`: how to connect to webhooks.

    `admission` and `authorizer` allow everything until they are set. `make_custom` creates `custom`.
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
        """Serves the kinds of CustomResourceDefinitions. Created for the first CRD."""
        if self._custom is None:
            assert self.make_custom is not None, "set by fakeapi.controlplane.registry"
            self._custom = self.make_custom()
        return self._custom

    @property
    def webhooks(self) -> "WebhookClients":
        """The client that calls webhooks. Created at its first use."""
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
        """Clears all caches after a reset of the stored state."""
        self.store.forget_changes()
        if self._custom is not None:
            self._custom.forget()
