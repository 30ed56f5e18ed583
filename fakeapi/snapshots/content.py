"""SnapshotContent: what a snapshot consists of, and the error of those that cannot be used."""

from dataclasses import dataclass

from fakeapi_storage import Checkpoint


class SnapshotError(ValueError):
    """A snapshot that cannot be read, written or restored here; the message says why, in a line."""


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotContent:
    """The stored objects with their uids and resourceVersions. Nothing changes it any more.

    `release` is the one that was served, "" for the default server; `taken_at` is RFC 3339, by the clock of
    the cluster; `pending` are the resources, by group and name, whose bootstrap objects were not made yet.
    """

    checkpoint: Checkpoint
    release: str
    taken_at: str
    pending: frozenset[tuple[str, str]] = frozenset()
