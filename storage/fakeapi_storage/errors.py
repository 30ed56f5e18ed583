"""Exceptions of the storage, with attributes for the facts that callers need."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakeapi_storage.interface import Entry


class StorageError(Exception):
    """Base class of all exceptions that the storage raises deliberately."""


class KeyExists(StorageError):
    """A create failed because the key exists; `actual` is its newest accepted entry."""

    def __init__(self, actual: "Entry") -> None:
        super().__init__(f"key {actual.key!r} exists at revision {actual.revision}")
        self.actual = actual


class KeyNotFound(StorageError):
    """An update or delete failed because the key does not exist."""

    def __init__(self, key: str) -> None:
        super().__init__(f"key {key!r} not found")
        self.key = key


class RevisionConflict(StorageError):
    """An update or delete failed because the entry does not have the expected revision.

    `actual` is the newest accepted entry.
    """

    def __init__(self, actual: "Entry", expected: int) -> None:
        super().__init__(f"key {actual.key!r} is at revision {actual.revision}, not {expected}")
        self.actual = actual
        self.expected = expected


class InvalidEntry(StorageError):
    """A key, a value or a checkpoint entry is not valid for the store; nothing was queued or changed."""


class Overloaded(StorageError):
    """The queue of accepted writes is full because too many are not committed yet; nothing was queued."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} writes are waiting for their commit")
        self.limit = limit


class Compacted(StorageError):
    """The requested revision is older than `oldest`, the oldest available revision."""

    def __init__(self, revision: int, oldest: int) -> None:
        super().__init__(f"revision {revision} has been compacted, the oldest is {oldest}")
        self.revision = revision
        self.oldest = oldest


class FutureRevision(StorageError):
    """The requested revision is newer than `current`, the newest revision."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is in the future, the current one is {current}")
        self.revision = revision
        self.current = current


class StorageFailed(StorageError):
    """The database failed: an I/O error, a damaged file, or no space (`StorageFull`)."""


class StorageFull(StorageFailed):
    """The disk of the database is full; writes succeed again when it has space."""


class Unreachable(StorageError):
    """The database server does not respond, and the write is not stored. A later attempt may succeed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database cannot be reached: {reason}")


class OutcomeUnknown(StorageError):
    """The connection to the database server was lost during a write.

    The server may or may not have stored it.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the connection to the database was lost during the write, which may be stored: {reason}"
        )


class StorageReset(StorageError):
    """All entries of the store were removed or replaced.

    An uncommitted write that fails with this exception is not stored. A watcher that raises it has ended.
    """

    def __init__(self) -> None:
        super().__init__("the store was reset")


class Closed(StorageError):
    """The store or the watcher is closed."""

    def __init__(self, what: str = "store") -> None:
        super().__init__(f"the {what} is closed")


class WatcherOverflow(StorageError):
    """The watcher has ended because its consumer was too slow: its buffer had more than `limit` events."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the watcher did not keep up: more than {limit} events were waiting")
        self.limit = limit


class OpenFailed(StorageError):
    """The database at `location` cannot be opened. The database is unchanged."""

    def __init__(self, location: str, reason: str) -> None:
        super().__init__(f"{location}: {reason}")
        self.location = location


class UnsupportedLocation(OpenFailed):
    """The location does not name a storage engine, or the engine does not support this form of location."""


class NewerSchema(OpenFailed):
    """The database has tables of a newer version of this package."""

    def __init__(self, location: str, found: int, known: int) -> None:
        super().__init__(
            location,
            f"its tables have schema version {found}, newer than {known}, the newest that is known here; "
            "open it with the version that wrote it, or name another database",
        )
        self.found = found
        self.known = known


class UnknownFormat(OpenFailed):
    """The database has a format of keys and values that the application cannot read.

    The format is newer than `wanted`, or a migration from it to `wanted` is missing.
    """

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
    """A row of the database cannot be migrated to the application's format."""

    def __init__(self, location: str, found: int, wanted: int, reason: str) -> None:
        super().__init__(location, f"it can not be migrated from format {found} to {wanted}: {reason}")
        self.found = found
        self.wanted = wanted


class ForeignDatabase(OpenFailed):
    """The file is not a database, or it belongs to another application."""


class DatabaseRefused(OpenFailed):
    """The database server is unreachable, or a login, a role or different settings prevent its use.

    Different settings: other fakeapi servers already use the database with other settings.
    """


class DatabaseInUse(OpenFailed):
    """The database is open in another process, or in another store of this process."""

    def __init__(self, location: str) -> None:
        super().__init__(location, "the database is in use by another server")
