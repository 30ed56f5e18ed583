"""Exceptions of the storage, with attributes for the facts that callers need."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakeapi_storage.interface import Entry


class StorageError(Exception):
    """Base class of all exceptions that the storage raises deliberately."""


class KeyExists(StorageError):
    """A create failed because the key exists; `actual` is the newest accepted entry of the key."""

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

    `actual` is the newest accepted entry. A store that shares its database also raises this exception if the
    `Guard` of a create or an update is violated.
    """

    def __init__(self, actual: "Entry", expected: int) -> None:
        super().__init__(f"key {actual.key!r} is at revision {actual.revision}, not {expected}")
        self.actual = actual
        self.expected = expected


class InvalidEntry(StorageError):
    """A key, a value or a checkpoint entry is not valid for the store; nothing was queued or changed."""


class Overloaded(StorageError):
    """The write was refused because too many accepted writes are not committed yet."""

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
    """The disk of the database is full. Writes succeed again when the disk has space."""


class Unreachable(StorageError):
    """The database server does not respond, and nothing was stored. A later attempt may succeed."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database cannot be reached: {reason}")


class OutcomeUnknown(StorageError):
    """The connection to the database server was lost during a write.

    The database server may or may not have stored the write.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the connection to the database was lost during the write, which may be stored: {reason}"
        )


class StorageReset(StorageError):
    """All entries of the store were removed or replaced.

    An uncommitted write that fails with this exception is not stored. A watcher that raises this exception
    has ended.
    """

    def __init__(self) -> None:
        super().__init__("the store was reset")


class Closed(StorageError):
    """The store or the watcher is closed."""

    def __init__(self, what: str = "store") -> None:
        super().__init__(f"the {what} is closed")


class WatcherOverflow(StorageError):
    """The watcher has ended because its consumer was too slow: the buffer had more than `limit` events."""

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

    The format is newer than `wanted`, or a migration to `wanted` is missing. A database that servers share is
    never migrated, so its format must equal `wanted`.
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
    """The file is not a SQLite database, or the database belongs to another application."""


class DatabaseRefused(OpenFailed):
    """The database server cannot be used. The message has the reason.

    - The server is unreachable or too old.
    - The server rejects the user, or the user lacks a permission or a schema.
    - Other fakeapi servers use the database with different settings.
    """


class DatabaseInUse(OpenFailed):
    """The database is open in another process, or in another store of this process."""

    def __init__(self, location: str) -> None:
        super().__init__(location, "the database is in use by another server")
