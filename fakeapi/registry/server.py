"""Server: the parts of an API server that request handlers use, such as store, admission and authorizer."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol

from fakeapi.registry.admission.steps import AdmissionControl, NoAdmission
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW, Authorizer
from fakeapi.registry.identity.account_tokens import AccountTokens
from fakeapi.registry.identity.token_settings import DEFAULT_TOKEN_SETTINGS, TokenSettings
from fakeapi.registry.identity.users import User
from fakeapi.registry.node_connections import Kubelets
from fakeapi.registry.objects import ClusterObjects, FindResource
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.store import Store
from fakeapi.registry.webhooks.outbound import NO_OUTBOUND, Outbound
from fakeapi_storage import Entry

if TYPE_CHECKING:
    from fakeapi.registry.webhooks.clients import WebhookClients


class APIServices(Protocol):
    """Maintains the APIServices of custom resources."""

    async def follow(self, group: str) -> None:
        """Creates, restores and deletes the APIServices of an API group to match its served versions."""
        ...


class CustomKinds(Protocol):
    """Serves the custom resources of CustomResourceDefinitions."""

    @property
    def registration(self) -> APIServices:
        """Maintains the APIServices of custom resources."""
        ...

    async def follow(self, name: str) -> None:
        """Updates the status and the served kinds of a CRD after a write.

        Raises ApiError if the server cannot read or store a CRD.
        """
        ...

    async def follow_deletion(self, name: str) -> None:
        """Continues the deletion of a CRD after one of its custom objects was deleted.

        Raises ApiError if the server cannot read or store a CRD.
        """
        ...

    def show(self, name: str, entry: Entry | None) -> bool:
        """Serves a CRD that another API server wrote, or stops serving a deleted CRD (`entry` is None).

        Returns False if a controller still has to change or delete the CRD, otherwise True.
        """
        ...

    async def restore(self) -> None:
        """Serves the custom resources of all stored CRDs, and of no other CRDs.

        Raises ApiError if the server cannot read or store a CRD.
        """
        ...

    def forget(self) -> None:
        """Stops serving all custom resources. Called when the storage was emptied."""
        ...


def _ignore(_: str) -> None:
    """Does nothing: the default of `Server.on_delegation`."""


class Server:
    """The store and the other parts of an API server that request handlers use.

    - `find`: returns the served Resource by group, version and name.
    - `outbound`: creates the HTTP transport to webhooks, and knows the URLs of Services.
    - `tokens`: the key and the settings for service account tokens.
    - `token_users`: other users of the server by their bearer tokens, for TokenReviews.

    `kubelets` are the kubelets that run in the server; None while there are none.

    `on_delegation` is called with the name of an APIService with a Service, after each write of its spec.

    `admission` and `authorizer` allow everything until `fakeapi.controlplane.registry` sets them. The
    function `make_custom` creates the object `custom`.
    """

    def __init__(
        self,
        store: Store,
        find: FindResource,
        outbound: Outbound = NO_OUTBOUND,
        tokens: TokenSettings = DEFAULT_TOKEN_SETTINGS,
    ) -> None:
        self.store = store
        self.find = find
        self.objects = ClusterObjects(store, find)
        self.admission: AdmissionControl = NoAdmission()
        self.authorizer: Authorizer = ALWAYS_ALLOW
        self.tokens = AccountTokens(store.storage, tokens)
        self.token_users: Mapping[str, User] = {}
        self.heavy = HeavySteps()
        self.kubelets: Kubelets | None = None
        self.on_delegation: Callable[[str], None] = _ignore
        self.make_custom: Callable[[], CustomKinds] | None = None
        self._outbound = outbound
        self._custom: CustomKinds | None = None
        self._webhooks: WebhookClients | None = None

    @property
    def has_custom(self) -> bool:
        """Whether the server has already created `custom`, for the first CustomResourceDefinition."""
        return self._custom is not None

    @property
    def custom(self) -> CustomKinds:
        """Serves the custom resources of CustomResourceDefinitions. Created at its first use."""
        if self._custom is None:
            assert self.make_custom is not None, "set by fakeapi.controlplane.registry"
            self._custom = self.make_custom()
        return self._custom

    @property
    def webhooks(self) -> "WebhookClients":
        """The HTTP client for webhooks. Created at its first use."""
        if self._webhooks is None:
            from fakeapi.registry.webhooks.clients import WebhookClients  # noqa: PLC0415 - only for webhooks

            outbound = self._outbound
            self._webhooks = WebhookClients(outbound.transport(), outbound.services, self.objects, self.heavy)
        return self._webhooks

    def disconnect(self) -> None:
        """Closes the idle connections to webhooks."""
        if self._webhooks is not None:
            self._webhooks.close()

    def forget(self) -> None:
        """Forgets the recorded changes and the served CRDs. Called after the storage was reset."""
        self.store.forget_changes()
        if self._custom is not None:
            self._custom.forget()
