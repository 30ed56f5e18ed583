"""Snapshot: all objects of a cluster at one moment, which can be saved, loaded and compared."""

from pathlib import Path

from fakeapi.snapshots import comparing
from fakeapi.snapshots.content import SnapshotContent, SnapshotError

__all__ = ["Snapshot", "SnapshotError"]


class Snapshot(SnapshotContent):
    """An immutable snapshot of all objects of a cluster at one moment."""

    __slots__ = ()

    def __len__(self) -> int:
        """Returns the number of objects in the snapshot."""
        return len(self.checkpoint.entries)

    def __repr__(self) -> str:
        version = f"resourceVersion {self.checkpoint.revision}"
        return f"<Snapshot of {len(self)} objects at {version}, taken at {self.taken_at}>"

    def save(self, path: str | Path) -> Path:
        """Writes the snapshot to a file, gzipped if its name ends with .gz. Returns the path.

        Raises SnapshotError if the file cannot be written.
        """
        from fakeapi.snapshots import file  # noqa: PLC0415 - loaded only when used

        return file.write(self, Path(path))

    @staticmethod
    def load(path: str | Path) -> "Snapshot":
        """Reads a snapshot from a file that this version or an older version of fakeapi wrote.

        Raises SnapshotError if the file is unreadable, is damaged, is not a snapshot, or has an unknown
        format.
        """
        from fakeapi.snapshots import file  # noqa: PLC0415 - loaded only when used

        return Snapshot.of(file.read(Path(path)))

    @staticmethod
    def of(content: SnapshotContent) -> "Snapshot":
        """Converts the content of a snapshot to a Snapshot."""
        return Snapshot(content.checkpoint, content.release, content.taken_at, content.pending)

    def diff(self, newer: "Snapshot") -> list[comparing.Difference]:
        """Returns the objects that were added, removed or changed in `newer`, in the order of object keys."""
        return comparing.compare(self.checkpoint, newer.checkpoint)
