"""Store: reads stored objects, and commits writes to them.

The modules in `fakeapi.registry.verbs` read the newest accepted version of an object and compute the new
object. These modules pass the new object to the storage with the revision that they read (optimistic
concurrency).
"""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from fakeapi.clock.clocks import ClockAndNames
from fakeapi.machinery import errors
from fakeapi.machinery.errors import ApiError
from fakeapi.machinery.golang import times
from fakeapi.registry.model.resource import Resource
from fakeapi.registry.requests.name_matching import check_path_name
from fakeapi.registry.requests.options import ObjectReference
from fakeapi.registry.requests.resource_version import check_key, parse_version, waited_for
from fakeapi_storage import Entry, Guard, SharedStorage, Storage, StorageFailed, StorageFull

LOCK_MESSAGE = "the object has been modified; please apply your changes to the latest version and try again"
WRITE_ATTEMPTS = 16
"""Maximum number of attempts to store an object that other clients keep changing.

After the last attempt, the client gets 409.
"""

Stored = TypeVar("Stored")


class Store:
    """Reads stored objects and commits writes to them, for all served resources.

    `clock`: the source of the time, of uids and of generated names.
    """

    def __init__(self, storage: Storage, clock: ClockAndNames) -> None:
        self.storage = storage
        self.shared = storage if isinstance(storage, SharedStorage) else None
        """The storage, if several API servers may use it at the same time; otherwise None."""
        self.clock = clock
        self._newest: dict[str, int] = {}
        self._first_changes: dict[str, dict[str, Callable[[], object]]] = {}
        self._resets = 0
        self.changes = 0
        """The number of recorded changes and resets. While this number stays the same, so do the results of
        `newest`.
        """

    def now(self) -> str:
        """Returns the current time in UTC as RFC 3339 with whole seconds."""
        return times.now_text(self.clock.now())

    # reading ------------------------------------------------------------------------------------

    def get(self, resource: Resource, target: ObjectReference, version: str = "") -> Entry:
        """Returns the committed storage entry of an object.

        `version`: the resourceVersion that the storage must have reached; "" for no such condition.

        Raises ApiError:

        - 400: the name is invalid
        - 404: the object does not exist
        - 500: the resourceVersion is malformed, or `version` is "" and the namespace is "." or ".."
        - 504: the storage has not reached the resourceVersion
        """
        check_path_name(target.name)
        if not version:
            check_key(resource.kind.resource, target.namespace, target.name)
        elif (revision := parse_version(version)) > self.storage.revision:
            raise waited_for(revision, self.storage.revision)
        entry = self.storage.get(resource.key(target.namespace, target.name))
        if entry is None:
            raise resource.missing(target.name, target.subresource)
        return entry

    def newest_entry(self, resource: Resource, target: ObjectReference) -> Entry:
        """Returns the newest storage entry of an object, even if it is not committed yet.

        Raises ApiError 400 if the name is invalid, and 404 if the object does not exist.
        """
        check_path_name(target.name)
        entry = self.storage.newest(resource.key(target.namespace, target.name))
        if entry is None:
            raise errors.not_found(resource.qualified, target.name)
        return entry

    def forget_changes(self) -> None:
        """Clears the recorded revisions of changes. Called when the stored objects were replaced."""
        self._newest.clear()
        self._resets += 1
        self.changes += 1

    def newest(self, resource: Resource) -> int:
        """Returns the revision of the last recorded change to an object of the resource; 0 for no change."""
        return self._newest.get(resource.prefix, 0)

    def last_changes(self, prefixes: Iterable[str]) -> tuple[int, ...]:
        """Returns a tuple that differs after each reset, and after each write of a key with one of the
        prefixes.
        """
        return (self._resets, *(self._newest.get(prefix, 0) for prefix in prefixes))

    def note_change(self, prefix: str, revision: int) -> None:
        """Records a write of an object by this or another API server; the object's key begins with
        `prefix`.
        """
        self._newest[prefix] = max(self._newest.get(prefix, 0), revision)
        self.changes += 1
        if prefix in self._first_changes:
            for call in self._first_changes.pop(prefix).values():
                call()

    def on_first_change(self, prefix: str, call: Callable[[], object], caller: str = "") -> None:
        """Calls `call` once, at the next write of an object whose key begins with `prefix`.

        `caller`: identifies the caller. A second call with the same prefix and caller replaces the first.
        """
        self._first_changes.setdefault(prefix, {})[caller] = call

    def create(self, resource: Resource, key: str, value: bytes, since: int) -> Awaitable[Entry]:
        """Stores a new entry. `since`: the storage revision that the caller read to compute `value`.

        Some kinds allocate from a pool (`Hooks.pool`), such as Service IPs. If several API servers share the
        storage, raises RevisionConflict if any object of the pool was written after `since`.
        """
        if self.shared is None or resource.hooks is None or not resource.hooks.pool:
            return self.storage.create(key, value)
        return self.shared.create(key, value, unless_changed=Guard(resource.hooks.pool, since))

    def update(
        self, resource: Resource, key: str, value: bytes, expected: int, since: int
    ) -> Awaitable[Entry]:
        """Stores a changed entry. `since`: the storage revision that the caller read to compute `value`.

        Raises RevisionConflict if the stored revision is not `expected`. If several API servers share the
        storage, also raises RevisionConflict if an object of the kind's pool (`Hooks.pool`) was written after
        `since`.
        """
        if self.shared is None or resource.hooks is None or not resource.hooks.pool:
            return self.storage.update(key, value, expected)
        return self.shared.update(key, value, expected, unless_changed=Guard(resource.hooks.pool, since))

    async def commit(self, resource: Resource, write: Awaitable[Entry]) -> Entry:
        """Waits for the commit of a write, and returns its entry.

        Raises ApiError 500 if the storage fails or is full. Other errors of the write, such as KeyExists,
        pass to the caller.
        """
        entry = await committed(write)
        self.note_change(resource.prefix, entry.revision)
        return entry

    async def settle(self, entry: Entry | None = None) -> None:
        """Waits for the commit of an entry, so that no response depends on a write that may still be lost.

        Without an entry, waits for all accepted writes, because a deleted object has no entry. Raises
        ApiError 500 if the storage fails.
        """
        if entry is None:
            await committed(self.storage.wait_committed())
        elif entry.revision > self.storage.revision:
            await committed(self.storage.wait_committed(entry.revision))


async def committed(write: Awaitable[Stored]) -> Stored:
    """Waits for a write and returns its result.

    Raises ApiError 500 if the storage fails or is full. Other errors of the write pass to the caller.
    """
    try:
        return await write
    except StorageFull as error:
        raise ApiError(500, "", "etcdserver: mvcc: database space exceeded") from error
    except StorageFailed as error:
        raise ApiError(500, "", f"etcdserver: storage failed: {error}") from error
