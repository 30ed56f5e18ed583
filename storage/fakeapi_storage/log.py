"""Defines the log of committed writes: its rows, and the protocol of a log that only one process uses.

A storage engine keeps the log in its database. Several processes share a log in PostgreSQL, which has its own
class, `PostgresqlLog`.

Each row is one change of a key. `previous` is the revision of the key's previous row; 0 if there is none. Two
changes that follow the same previous row cannot both be stored. Compaction at a revision deletes older rows,
except the rows of entries that exist at that revision.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias

Durability: TypeAlias = Literal["normal", "full"]
"""The crashes that a committed write survives.

- "normal": a crash of the process.
- "full": a crash of the process or of the machine.
"""


class Row(NamedTuple):
    """A change of one key, as the database stores it in the log.

    `value` is None for a deletion without its own value; then the key's previous row has the last value.
    """

    revision: int
    key: str
    created: int
    previous: int
    deleted: bool
    value: bytes | None


class Snapshot(NamedTuple):
    """A copy of the log and of the labels at one moment.

    - `compacted`: the revision of the last compaction.
    - `rows`: all rows of the log, in the order of their revisions.
    """

    compacted: int
    rows: list[Row]
    labels: Mapping[str, str]


class Log(Protocol):
    """A log of committed writes that only one process uses.

    Every method runs one transaction, and raises `StorageFailed` if the transaction fails. Calls must not
    overlap.
    """

    async def load(self) -> Snapshot: ...

    async def append(self, rows: Sequence[Row]) -> None: ...

    async def read(self, after: int) -> list[Row]:
        """Returns the rows newer than the revision `after`, in the order of their revisions."""
        ...

    async def compact(self, revision: int, stale: Iterable[int]) -> None:
        """Deletes the rows whose revisions are in `stale`, and records `revision` as the last compaction."""
        ...

    async def replace(self, compacted: int, rows: Iterable[Row]) -> None:
        """Replaces all rows with `rows`. No row may be newer than `compacted`.

        The format and the labels remain.
        """
        ...

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        """Replaces all labels."""
        ...

    async def close(self) -> None: ...
