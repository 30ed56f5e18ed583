"""Keys, bytes and revisions in SQLite. Knows neither Kubernetes nor HTTP; see `fakeapi_storage.interface`."""

from fakeapi_storage.errors import (
    Closed,
    Compacted,
    DatabaseInUse,
    ForeignDatabase,
    FutureRevision,
    InvalidEntry,
    KeyExists,
    KeyNotFound,
    NewerSchema,
    OpenFailed,
    Overloaded,
    RevisionConflict,
    StorageError,
    StorageFailed,
    StorageReset,
    WatcherOverflow,
)
from fakeapi_storage.interface import INITIAL_REVISION, Entry, Event, EventKind, Page, Storage, Watcher
from fakeapi_storage.open import open_storage

__all__ = [
    "INITIAL_REVISION",
    "Closed",
    "Compacted",
    "DatabaseInUse",
    "Entry",
    "Event",
    "EventKind",
    "ForeignDatabase",
    "FutureRevision",
    "InvalidEntry",
    "KeyExists",
    "KeyNotFound",
    "NewerSchema",
    "OpenFailed",
    "Overloaded",
    "Page",
    "RevisionConflict",
    "Storage",
    "StorageError",
    "StorageFailed",
    "StorageReset",
    "Watcher",
    "WatcherOverflow",
    "open_storage",
]
