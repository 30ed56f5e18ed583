"""SnapshotContent: the content of a snapshot, and the error for unusable snapshots."""

from dataclasses import dataclass

from fakeapi_storage import Checkpoint


class SnapshotError(ValueError):
    """A snapshot that cannot be read, written or restored here; the message is one line."""


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotContent:
    """The stored objects with their uids and resourceVersions; immutable.

    - `release` is the served release, "" for the default server.
    - `taken_at` is the cluster's time in RFC 3339.
    - `pending` are the resources, by group and name, whose bootstrap objects did not exist yet.
    """

    checkpoint: Checkpoint
    release: str
    taken_at: str
    pending: frozenset[tuple[str, str]] = frozenset()
