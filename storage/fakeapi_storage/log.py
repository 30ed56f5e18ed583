"""The log that an engine keeps: its rows, and the protocol that the writer and the memory above it rely on.

A row is one change. `previous` is the revision of the row before it of the same key (0 for none), so that two
changes of one state can not both be stored. Compaction deletes rows that say nothing about the state at the
compacted revision or later: up to it remain the rows of the entries that were there, after it remain all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

Durability: TypeAlias = Literal["normal", "full"]
"""What a committed write survives: "normal" the end of the process, "full" also that of the machine."""


class Row(NamedTuple):
    """One change, as stored. A deletion without a value of its own has none; it stands in the row before."""

    revision: int
    key: str
    created: int
    previous: int
    deleted: bool
    value: bytes | None


class Snapshot(NamedTuple):
    """Everything a log holds: the rows in order, the revision of the last compaction, the labels."""

    compacted: int
    rows: list[Row]
    labels: Mapping[str, str]


class Log(Protocol):
    """An append-only log. Every method is one transaction, raises `StorageFailed` if it fails, and is not to
    be called before the last call has ended.
    """

    async def load(self) -> Snapshot: ...

    async def append(self, rows: Sequence[Row]) -> None: ...

    async def read(self, after: int) -> list[Row]:
        """The rows newer than the revision, in order."""
        ...

    async def compact(self, revision: int, stale: Iterable[int]) -> None:
        """Deletes the rows with the revisions `stale` and notes the revision."""
        ...

    async def replace(self, compacted: int, rows: Iterable[Row]) -> None:
        """Deletes all rows and stores these, none newer than `compacted`; the format and the labels stay."""
        ...

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        """Replaces all labels."""
        ...

    async def close(self) -> None: ...
