"""KeptSnapshots: the named snapshots of a running server."""

from collections.abc import Iterator

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.snapshots.model import Snapshot, SnapshotError

SNAPSHOTS_MAX = 64
"""Maximum number of named snapshots on a server. Keeping more raises SnapshotError."""

_NAME = lazy_pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_NAME_RULE = "1 to 63 letters, digits, '.', '_' and '-', and starts with a letter or digit"


class KeptSnapshots:
    """The named snapshots of a server, in memory.

    Objects that did not change since a snapshot share their bytes with the server's storage.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, Snapshot] = {}

    def __iter__(self) -> Iterator[str]:
        """Yields the names of the snapshots, oldest first."""
        return iter(list(self._by_name))

    def __len__(self) -> int:
        return len(self._by_name)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Snapshot:
        """Returns the snapshot with this name. Raises SnapshotError for an unknown name."""
        try:
            return self._by_name[name]
        except KeyError:
            names = (
                f"the server has {', '.join(self._by_name)}" if self._by_name else "there are no snapshots"
            )
            raise SnapshotError(f"no snapshot is named {name!r}; {names}") from None

    def check(self, name: str) -> None:
        """Raises SnapshotError if a snapshot with this name cannot be kept.

        The reason is an invalid name, or a new name while there are SNAPSHOTS_MAX snapshots already.
        """
        if not _NAME.fullmatch(name):
            raise SnapshotError(f"invalid name {name!r}: a snapshot's name has {_NAME_RULE}")
        if name not in self._by_name and len(self._by_name) >= SNAPSHOTS_MAX:
            raise SnapshotError(f"the server keeps {SNAPSHOTS_MAX} snapshots already: delete one first")

    def keep(self, name: str, snapshot: Snapshot) -> None:
        """Keeps a snapshot under a name, and replaces the previous snapshot with this name.

        Raises SnapshotError if the name is invalid, or if it is new and there are SNAPSHOTS_MAX snapshots
        already.
        """
        self.check(name)
        self._by_name.pop(name, None)
        self._by_name[name] = snapshot

    def delete(self, name: str) -> None:
        """Deletes a snapshot. Raises SnapshotError for an unknown name."""
        self[name]
        del self._by_name[name]
