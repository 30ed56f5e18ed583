"""Store: reads of stored objects, and the commit of writes to them.

The verbs under `fakeapi.registry.verbs` read the newest accepted state, compute from it, and hand the result
to the storage with the revision that it was computed from (optimistic concurrency).
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from fakeapi.clock.clocks import ClockAndNames
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import times
from fakeapi.registry.admission.chain import Admission
from fakeapi.registry.admission.objects import ClusterObjects, FindResource
from fakeapi.registry.admission.plugin import Selection
from fakeapi.registry.authorization.authorizer import ALWAYS_ALLOW, Authorizer
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.offloading.heavy_steps import HeavySteps
from fakeapi.registry.requests.naming import check_path_name
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.requests.resource_version import check_key, parse_version, waited_for
from fakeapi.registry.webhooks.outbound import NO_OUTBOUND, Outbound
from fakeapi_storage import Entry, Guard, SharedStorage, Storage, StorageFailed, StorageFull

if TYPE_CHECKING:
    from fakeapi.registry.custom.definitions import CustomResources
    from fakeapi.registry.identity.token_signer import TokenSigner
    from fakeapi.registry.webhooks.clients import WebhookClients

LOCK_MESSAGE = "the object has been modified; please apply your changes to the latest version and try again"
SIGNING_KEY = "token-signing-key"
"""Under this name the storage keeps the key of the tokens of service accounts."""
WRITE_ATTEMPTS = 16
"""How often a write starts again when another writer came first; after that it is a 409."""

Stored = TypeVar("Stored")


class Store:
    """Reads and commits for all served resources. `admission` stands before the writes; `find` gives the
    resources; `authorizer` says who may do what; `make_custom`, which is set once, makes what serves
    CustomResourceDefinitions.
    """

    def __init__(
        self,
        storage: Storage,
        source: ClockAndNames,
        find: FindResource,
        plugins: Selection,
        outbound: Outbound = NO_OUTBOUND,
    ) -> None:
        self._outbound = outbound
        self.storage = storage
        self.shared = storage if isinstance(storage, SharedStorage) else None
        """The storage, where other servers may have it open too."""
        self.signing_key = storage.labels.get(SIGNING_KEY, "")
        """The key of the tokens of service accounts, in PEM; empty until it is kept in the storage."""
        self._keeping = asyncio.Lock()
        self.clock = source
        self.find = find
        self.admission = Admission(plugins.entries, ClusterObjects(self, find), plugins.disabled)
        self.authorizer: Authorizer = ALWAYS_ALLOW
        self.heavy = HeavySteps()
        self._newest: dict[str, int] = {}
        self._first_changes: dict[str, Callable[[], object]] = {}
        self._resets = 0
        self.make_custom: Callable[[Store], CustomResources] | None = None

    @property
    def has_tokens(self) -> bool:
        """Whether tokens of service accounts were ever asked for: until then nobody can have one."""
        return bool(self.signing_key) or "tokens" in self.__dict__

    @property
    def has_custom(self) -> bool:
        """Whether there ever was a CustomResourceDefinition."""
        return "custom" in self.__dict__

    @cached_property
    def custom(self) -> "CustomResources":
        """Serves the kinds of CustomResourceDefinitions; made when there is the first."""
        assert self.make_custom is not None, "set by what opens the registry"
        return self.make_custom(self)

    @cached_property
    def tokens(self) -> "TokenSigner":
        """Signs the tokens of service accounts."""
        from fakeapi.registry.identity.token_signer import TokenSigner  # noqa: PLC0415 - loads OpenSSL

        try:
            return TokenSigner(self.signing_key)
        except ValueError as error:
            why = "the database is damaged: its key for tokens is unreadable; restore it from a copy"
            raise ApiError(500, "", why) from error

    async def keep_signing_key(self) -> None:
        """Keeps the key of tokens in the storage, so that they stay valid when the server starts again.

        Raises ApiError 500.
        """
        async with self._keeping:
            if not self.signing_key:
                key = self.tokens.key_text()
                await committed(self.storage.set_labels({**self.storage.labels, SIGNING_KEY: key}))
                self.signing_key = key

    @cached_property
    def webhooks(self) -> "WebhookClients":
        """Calls webhooks."""
        from fakeapi.registry.webhooks.clients import WebhookClients  # noqa: PLC0415 - for webhooks alone

        outbound = self._outbound
        return WebhookClients(outbound.transport(), outbound.services, self.admission.objects, self.heavy)

    def disconnect(self) -> None:
        """Closes the connections to webhooks."""
        if "webhooks" in self.__dict__:
            self.webhooks.close()

    def now(self) -> str:
        """The present as Kubernetes writes it: RFC 3339, UTC, whole seconds."""
        return times.now_text(self.clock.now())

    # reading ------------------------------------------------------------------------------------

    def get(self, resource: Resource, target: ObjectReference, version: str = "") -> Entry:
        """The committed entry, not older than `version`.

        Raises ApiError 404; 500 for a version that is no number, 504 for one that is yet to come.
        """
        check_path_name(target.name)
        if not version:
            check_key(resource.kind.resource, target.namespace, target.name)
        elif (wanted := parse_version(version)) > self.storage.revision:
            raise waited_for(wanted, self.storage.revision)
        entry = self.storage.get(resource.key(target.namespace, target.name))
        if entry is None:
            raise resource.missing(target.name, target.subresource)
        return entry

    def newest_entry(self, resource: Resource, target: ObjectReference) -> Entry:
        """The newest accepted entry. Raises ApiError 404."""
        check_path_name(target.name)
        entry = self.storage.newest(resource.key(target.namespace, target.name))
        if entry is None:
            raise errors.not_found(resource.qualified, target.name)
        return entry

    def forget(self) -> None:
        """Forget what belongs to the state before a reset."""
        self.forget_changes()
        if self.has_custom:
            self.custom.forget()

    def forget_changes(self) -> None:
        """Forget what was written last: it is not known."""
        self._newest.clear()
        self._resets += 1

    def newest(self, resource: Resource) -> int:
        """The version of the last change to any object of the resource by this server; 0 before the first."""
        return self._newest.get(resource.prefix, 0)

    def last_changes(self, prefixes: Iterable[str]) -> tuple[int, ...]:
        """A value that compares equal while no key with these prefixes was written."""
        return (self._resets, *(self._newest.get(each, 0) for each in prefixes))

    def note_change(self, prefix: str, revision: int) -> None:
        """Notes a change of an object whose key begins with `prefix`, by this server or another one."""
        self._newest[prefix] = max(self._newest.get(prefix, 0), revision)
        if prefix in self._first_changes:
            self._first_changes.pop(prefix)()

    def on_first_change(self, prefix: str, call: Callable[[], object]) -> None:
        """Calls `call` once, at the next change of an object whose key begins with `prefix`."""
        self._first_changes[prefix] = call

    def create(self, resource: Resource, key: str, value: bytes, since: int) -> Awaitable[Entry]:
        """Creates an entry that was computed from the state at the revision `since`.

        Where servers share the storage, objects that take from one pool are refused with `RevisionConflict`
        if another of them was written since.
        """
        if self.shared is None or resource.hooks is None or not resource.hooks.pool:
            return self.storage.create(key, value)
        return self.shared.create(key, value, unless_changed=Guard(resource.hooks.pool, since))

    def update(
        self, resource: Resource, key: str, value: bytes, expected: int, since: int
    ) -> Awaitable[Entry]:
        """Updates an entry that was computed from the state at the revision `since`; see `create`."""
        if self.shared is None or resource.hooks is None or not resource.hooks.pool:
            return self.storage.update(key, value, expected)
        return self.shared.update(key, value, expected, unless_changed=Guard(resource.hooks.pool, since))

    async def commit(self, resource: Resource, write: Awaitable[Entry]) -> Entry:
        """The entry of a write once it is committed. Raises ApiError 500 when it could not be kept."""
        entry = await committed(write)
        self.note_change(resource.prefix, entry.revision)
        return entry

    async def settle(self, entry: Entry | None = None) -> None:
        """Wait until what an answer was computed from is committed: no answer outlives a lost write.

        Without an entry that is everything accepted: an object that is gone has no entry to wait for.
        """
        if entry is None:
            await committed(self.storage.wait_committed())
        elif entry.revision > self.storage.revision:
            await committed(self.storage.wait_committed(entry.revision))


async def committed(write: Awaitable[Stored]) -> Stored:
    """The result of a write. Raises ApiError 500 when it could not be kept, and nothing was."""
    try:
        return await write
    except StorageFull as error:
        raise ApiError(500, "", "etcdserver: mvcc: database space exceeded") from error
    except StorageFailed as error:
        raise ApiError(500, "", f"etcdserver: storage failed: {error}") from error
