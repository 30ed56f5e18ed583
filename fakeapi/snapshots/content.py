"""SnapshotContent: the content of a snapshot. SnapshotError: the error for unusable snapshots."""

from dataclasses import dataclass

from fakeapi.machinery.base_error import FakeAPIError
from fakeapi_storage import Checkpoint


class SnapshotError(FakeAPIError, ValueError):
    """Raised if a snapshot cannot be read, written, kept or restored. The error message is one line."""


@dataclass(frozen=True, slots=True, repr=False)
class SnapshotContent:
    """The immutable content of a snapshot: all objects with their uids and resourceVersions.

    - `release`: the Kubernetes release of the server; "" if it served versions of several releases.
    - `taken_at`: the time of the cluster in RFC 3339.
    - `pending`: the (group, resource) pairs whose initial objects the server had not created yet.
    """

    checkpoint: Checkpoint
    release: str
    taken_at: str
    pending: frozenset[tuple[str, str]] = frozenset()
