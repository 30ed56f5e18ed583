"""Errors of storage, as values that carry the facts a caller decides on."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakeapi_storage.interface import Entry


class StorageError(Exception):
    """Base of everything that storage raises on purpose."""


class KeyExists(StorageError):
    """A create met an entry; `actual` is the newest accepted one."""

    def __init__(self, actual: "Entry") -> None:
        super().__init__(f"key {actual.key!r} exists at revision {actual.revision}")
        self.actual = actual


class KeyNotFound(StorageError):
    """An update or a delete met no entry."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key {key!r} not found")
        self.key = key


class RevisionConflict(StorageError):
    """An update or a delete expected another revision than that of `actual`, the newest accepted entry."""

    def __init__(self, actual: "Entry", expected: int) -> None:
        super().__init__(f"key {actual.key!r} is at revision {actual.revision}, not {expected}")
        self.actual = actual
        self.expected = expected


class InvalidEntry(StorageError):
    """A key or a value that the store can not hold; nothing was queued."""


class Overloaded(StorageError):
    """More writes are accepted and not committed than the queue may hold; nothing was queued."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} writes are waiting for their commit")
        self.limit = limit


class Compacted(StorageError):
    """The revision asked for is older than `oldest`, the first one that is still answerable."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"revision {revision} has been compacted, the oldest is {oldest}")
        self.revision = revision
        self.oldest = oldest


class FutureRevision(StorageError):
    """The revision asked for is newer than `current`."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is in the future, the current one is {current}")
        self.revision = revision
        self.current = current


class StorageFailed(StorageError):
    """The database failed: an I/O error, a damaged file, no space (`StorageFull`)."""


class StorageFull(StorageFailed):
    """There is no space left where the database is. Writes succeed again once there is."""


class Unreachable(StorageError):
    """The database server does not answer. Nothing was stored; the same succeeds again once it does."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database cannot be reached: {reason}")


class OutcomeUnknown(StorageError):
    """The connection to the database server was lost during a write, which is stored or is not."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the connection to the database was lost during the write, which may be stored: {reason}"
        )


class StorageReset(StorageError):
    """The store was emptied: the write is not stored, or the watcher has ended."""

    def __init__(self) -> None:
        super().__init__("the store was reset")


class Closed(StorageError):
    """The store, or the watcher, was closed."""

    def __init__(self, what: str = "store") -> None:
        super().__init__(f"the {what} is closed")


class WatcherOverflow(StorageError):
    """The watcher did not keep up: more than `limit` events were waiting in its buffer."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the watcher did not keep up: more than {limit} events were waiting")
        self.limit = limit


class OpenFailed(StorageError):
    """The database at `location` can not be opened; it is as it was."""

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(f"{location}: {reason}")
        self.location = location


class UnsupportedLocation(OpenFailed):
    """The location names no engine, or something that its engine does not know."""


class NewerSchema(OpenFailed):
    """The database was written by a newer version of this package."""

    def __init__(self, location: str, found: int, known: int) -> None:
        super().__init__(
            location,
            f"its tables have schema version {found}, newer than {known}, the newest that is known here; "
            "open it with the version that wrote it, or name another database",
        )
        self.found = found
        self.known = known


class UnknownFormat(OpenFailed):
    """The application's format in the database is newer than its own, or too old to be migrated."""

    def __init__(self, location: str, found: int, wanted: int, *, is_shared: bool = False) -> None:
        here = f"format {wanted}, which is used here"
        if found > wanted:
            reason = f"newer than {here}"
        elif is_shared:
            reason = f"older than {here}, and a database that servers share is not migrated"
        else:
            reason = f"without a migration to {here}"
        super().__init__(
            location,
            f"its objects are in format {found}, {reason}; "
            "open it with the version that wrote it, or name another database",
        )
        self.found = found
        self.wanted = wanted


class MigrationFailed(OpenFailed):
    """A row of the database can not be brought into the application's format."""

    def __init__(self, location: str, found: int, wanted: int, reason: str) -> None:
        super().__init__(location, f"it can not be migrated from format {found} to {wanted}: {reason}")
        self.found = found
        self.wanted = wanted


class ForeignDatabase(OpenFailed):
    """The file is not a database, or it is another application's."""


class DatabaseRefused(OpenFailed):
    """A database server that is not reached, or that lets the role do too little."""


class DatabaseInUse(OpenFailed):
    """Another process, or another store in this one, has the database open."""

    def __init__(self, location: str) -> None:
        super().__init__(location, "the database is in use by another server")
