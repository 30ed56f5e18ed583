"""The contract of the storage: keys, values and revisions.

Every change of the store gets the next *revision*. Revisions are integers without gaps, shared by all keys.
The revision of an entry is the revision of its last change. A write has three stages:

- *accepted*: checked against the newest state that this process knows, and queued
- *committed*: stored in the database with its revision; from now on `get`, `list` and `revision` include the
  write, and watchers receive its event
- *acknowledged*: the future of the write has its result, and its revision is known; an acknowledged write
  survives the end of the process

The store refuses a write that contradicts the state: the method raises `KeyExists`, `KeyNotFound` or
`RevisionConflict`. If another server's write to the same database came first, the future of the write fails
with this exception instead.

A store that is the only writer of its database guarantees more. Such a store refuses writes immediately, and
assigns the revision when it accepts a write. Then `newest` returns accepted writes. A caller can pass the
revision from `newest` as `expected` in the same step of the event loop, and cannot get a conflict.

A store belongs to the event loop that opened it, and is not thread-safe. Methods that are not async never
block.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

INITIAL_REVISION = 1
"""The revision of an empty store, as in etcd. The first change gets revision 2. No store has revision 0."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value; `created` is the revision at which the key was last created."""

    key: str
    value: bytes
    revision: int
    created: int


class EventKind(Enum):
    PUT = "PUT"
    DELETE = "DELETE"


@dataclass(frozen=True, slots=True)
class Event:
    """A committed change of a key.

    - `entry`: for a PUT, the new entry. For a DELETE, the last entry with the revision of the deletion. If
      the deletion has its own value, the entry has this value.
    - `previous`: the entry before the change; None if the change created the key.
    """

    kind: EventKind
    entry: Entry
    previous: Entry | None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a list: entries in the order of their keys, as of `revision`.

    `remaining`: the number of entries with the listed prefix after this page.
    """

    entries: list[Entry]
    revision: int
    remaining: int

    @property
    def more(self) -> bool:
        return self.remaining > 0


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All committed entries of a store at one revision, in the order of their keys. Immutable."""

    entries: tuple[Entry, ...]
    revision: int


class Watcher(Protocol):
    """Receives the events of all keys that begin with a prefix, for one consumer.

    The consumer gets each event once, in the order of revisions.
    """

    @property
    def progress(self) -> int:
        """The revision up to which the consumer has received all matching events; never decreases."""
        ...

    @property
    def waiting(self) -> int:
        """The number of events that `next_batch` would return now."""
        ...

    async def next_batch(self) -> list[Event]:
        """Waits for an event, and returns all waiting events; a cancelled call loses no events.

        Every call after the end of the watcher raises:

        - `WatcherOverflow` if the consumer was too slow; waiting events are lost
        - `StorageReset` after a reset; waiting events are lost
        - `Closed` after `close()`; waiting events are lost
        - `Closed` after the store was closed, once the waiting events have been returned
        """
        ...

    def deliver(self, take: Callable[[Sequence[Event]], bool]) -> None:
        """Offers later events directly to `take`, in the step of the event loop that commits the events.

        The watcher calls `take` only while the consumer waits in `next_batch`. If `take` returns True,
        `next_batch` does not return these events. `take` must neither raise nor block. All watchers of one
        prefix receive the same list object.
        """
        ...

    def close(self) -> None:
        """Ends the watcher and wakes its consumer; a second call does nothing."""
        ...


class Storage(Protocol):
    """A store of entries with a history; `fakeapi_storage.interface` describes the stages of a write.

    Write methods check and queue the write, and return a future. Write methods raise `InvalidEntry`,
    `Overloaded`, `Closed`, or an exception that the method lists. The future resolves to the entry of the
    event once the write is committed.

    If the database refuses the write later, the future fails with an exception that the method lists. If the
    database cannot store the write, the futures of this write and of all other uncommitted writes fail with
    `StorageFailed` or `StorageReset`. Cancelling the future does not cancel the write.
    """

    @property
    def revision(self) -> int:
        """The newest committed revision."""
        ...

    @property
    def oldest(self) -> int:
        """The oldest revision that `list` and `watch` accept; older revisions are compacted."""
        ...

    @property
    def labels(self) -> Mapping[str, str]:
        """Texts about the database, such as the release that wrote it, by name. Not part of the history."""
        ...

    def create(self, key: str, value: bytes) -> asyncio.Future[Entry]:
        """Stores a new entry. The write is refused with `KeyExists` if the key exists."""
        ...

    def update(self, key: str, value: bytes, expected: int) -> asyncio.Future[Entry]:
        """Replaces the value of the entry that has the revision `expected`.

        The write is refused with `KeyNotFound` if the entry is missing, or with `RevisionConflict` if the
        entry has another revision.
        """
        ...

    def delete(self, key: str, expected: int, value: bytes | None = None) -> asyncio.Future[Entry]:
        """Deletes the entry that has the revision `expected`.

        `value` is the value of the entry in the DELETE event; None for the last value. The write is refused
        with `KeyNotFound` if the entry is missing, or with `RevisionConflict` if the entry has another
        revision.
        """
        ...

    def newest(self, key: str) -> Entry | None:
        """Returns the newest entry of the key that this process knows; None if the key does not exist.

        The entry may be accepted but not committed. Await `wait_committed` before you use the entry in a
        response.
        """
        ...

    def wait_committed(self, revision: int | None = None) -> asyncio.Future[None]:
        """Returns a future that resolves when all writes up to `revision` are committed.

        `revision` comes from `newest` or from a refused write. None means all writes accepted so far,
        including deletions of entries that `newest` no longer returns. The future fails if one of these
        writes fails, except in a store that shares its database.

        Call this method in the same step of the event loop as `newest`, because the store gives the
        revisions of failed writes to later writes. Raises `FutureRevision` for a revision that is not
        assigned yet.
        """
        ...

    def get(self, key: str) -> Entry | None:
        """Returns the committed entry of the key; None if the key does not exist."""
        ...

    def list(
        self, prefix: str, *, start_after: str | None = None, limit: int | None = None, at: int | None = None
    ) -> Page:
        """Returns committed entries whose keys begin with `prefix`, in the order of their keys.

        - `start_after`: return only keys that sort after this text.
        - `limit`: the maximum number of entries; None for no limit.
        - `at`: return the entries as of this revision, so that the pages of one list agree; None for the
          newest.

        Raises `Compacted` if `at` is too old, `FutureRevision` if `at` is too new, and ValueError for a limit
        below 1.
        """
        ...

    def watch(self, prefix: str, since: int | None = None) -> Watcher:
        """Watches events newer than `since`: first from the history, then live, without gaps or repetitions.

        `since`: a revision, even in the future; None means the newest. Raises `Compacted` if `since` is older
        than the history, and `Closed` if the store is closed.
        """
        ...

    def is_watched(self, key: str) -> bool:
        """Whether a watcher may receive events of the key.

        Always True for a store that shares its database with other servers, because other servers may have
        watchers.
        """
        ...

    async def compact(self, revision: int) -> None:
        """Deletes the history before `revision`, and keeps all entries.

        Does nothing if this history is already deleted.

        Later requests for older revisions raise `Compacted`. Tests use this method to make clients list again
        ("too old resource version"). Raises `FutureRevision` if `revision` is newer than the newest,
        `StorageFailed` if the database fails, and `Closed` if the store is closed.
        """
        ...

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        """Replaces all labels. Labels survive a reset.

        Raises `StorageFailed` if the database fails, and `Closed` if the store is closed.
        """
        ...

    def checkpoint(self) -> Checkpoint:
        """Returns all committed entries. Costs about 8 bytes per entry, because the values are not copied."""
        ...

    async def restore(self, checkpoint: Checkpoint, *, rewind: bool = False) -> None:
        """Replaces all entries with the entries of a checkpoint, and keeps their revisions and the labels.

        - Without `rewind`: the store continues at a revision newer than all revisions of the store and of the
          checkpoint. Older revisions are `Compacted`, so that no client can resume from stale data.
        - With `rewind`: the store continues at the checkpoint's own revision. Clients that have seen newer
          revisions must not continue.

        Uncommitted writes fail and watchers end, both with `StorageReset`. If one of these exceptions is
        raised, nothing has changed:

        - `InvalidEntry` for entries that no store can contain
        - `StorageFailed` if the database fails
        - `Closed` if the store is closed
        """
        ...

    async def reset(self) -> None:
        """Removes all entries and starts again from the first revision.

        Uncommitted writes fail and watchers end, both with `StorageReset`. Raises `StorageFailed` if the
        database fails, and `Closed` if the store is closed; then nothing has changed.
        """
        ...

    async def close(self) -> None:
        """Commits accepted writes, ends the watchers and closes the database; a second call does nothing."""
        ...


class Guard(NamedTuple):
    """A condition for a write: no key that begins with `prefix` has changed since the revision `since`."""

    prefix: str
    since: int


@runtime_checkable
class SharedStorage(Storage, Protocol):
    """A store of a database that several servers have open.

    The database decides on each write, and refuses the write if another server's write came first. Methods
    that are not async return committed entries. Committed entries may be older than writes that another
    server has acknowledged; see `refresh`.

    Calls may also raise `Unreachable`, and then nothing is stored. Writes may raise `OutcomeUnknown`.
    A watcher ends with `StorageReset` if any server replaces all entries, and with `Compacted` if this server
    was disconnected so long that it missed changes.
    """

    async def refresh(self) -> None:
        """Waits until this server returns all writes that any server had acknowledged before the call.

        Raises `Unreachable` if the database server does not respond, `StorageFailed` if reading fails, and
        `Closed` if the store is closed.
        """
        ...

    @property
    def agreed(self) -> Mapping[str, str]:
        """The texts that all servers use, by name, as far as this server knows; see `agree`.

        A reset keeps these texts.
        """
        ...

    async def agree(self, name: str, proposal: str) -> str:
        """Returns the text that all servers use for a name: the first text that any server proposed.

        Raises one of these exceptions:

        - `Unreachable` if the database server does not respond
        - `OutcomeUnknown` if the connection was lost during the write
        - `StorageFailed` if the database fails
        - `Closed` if the store is closed
        """
        ...

    def create(self, key: str, value: bytes, *, unless_changed: Guard | None = None) -> asyncio.Future[Entry]:
        """Stores a new entry, like `Storage.create`.

        The write is refused with `KeyExists` if the key exists, or with `RevisionConflict` if the condition
        `unless_changed` is violated.
        """
        ...

    def update(
        self, key: str, value: bytes, expected: int, *, unless_changed: Guard | None = None
    ) -> asyncio.Future[Entry]:
        """Replaces the value of the entry that has the revision `expected`, like `Storage.update`.

        The write is refused with one of these exceptions:

        - `KeyNotFound` if the entry is missing
        - `RevisionConflict` if the entry has another revision, or if the condition `unless_changed` is
          violated
        """
        ...

    def on_events(self, call: Callable[[Sequence[Event]], None]) -> None:
        """Registers a function that receives the changes of all servers.

        The store calls the function as soon as `get` and `list` return the changes.
        """
        ...

    def on_reload(self, call: Callable[[bool], None]) -> None:
        """Registers a function that is called after this server has read all entries again.

        The argument of the function is true if a server had replaced all entries.
        """
        ...
