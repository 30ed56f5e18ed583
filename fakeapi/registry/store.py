"""Store: reads of stored objects, and the commit of writes to them.

The verbs under `fakeapi.registry.verbs` read the newest accepted state, compute from it, and hand the result
to the storage with the revision that it was computed from (optimistic concurrency).
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from fakeapi.clock.clocks import ClockAndNames
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import times
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.naming import check_path_name
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.requests.resource_version import check_key, parse_version, waited_for
from fakeapi_storage import Entry, Guard, SharedStorage, Storage, StorageFailed, StorageFull

LOCK_MESSAGE = "the object has been modified; please apply your changes to the latest version and try again"
WRITE_ATTEMPTS = 16
"""How often a write starts again when another writer came first; after that it is a 409."""

Stored = TypeVar("Stored")


class Store:
    """Reads stored objects and commits writes to them, for all served resources.

    `clock` is the source of time, uids and generated names.
    """

    def __init__(self, storage: Storage, clock: ClockAndNames) -> None:
        self.storage = storage
        self.shared = storage if isinstance(storage, SharedStorage) else None
        """The storage, if other servers may have it open too."""
        self.clock = clock
        self._newest: dict[str, int] = {}
        self._first_changes: dict[str, Callable[[], object]] = {}
        self._resets = 0

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
