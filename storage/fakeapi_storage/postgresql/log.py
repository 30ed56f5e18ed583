"""Reads and changes the log of committed writes in a PostgreSQL database."""

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fakeapi_storage.errors import StorageFailed
from fakeapi_storage.interface import Checkpoint, Guard
from fakeapi_storage.log import Row
from fakeapi_storage.memory.index import successor
from fakeapi_storage.postgresql import schema
from fakeapi_storage.postgresql.link import Link, Record

_END = b"\xff"
"""A value that sorts after every key."""


class Proposal(NamedTuple):
    """A write in the form that this server sends to the database.

    - `value`: None for a deletion without its own value.
    - `expected`: the revision that the entry must have; 0 for a create.
    - `guard`: a condition; the database refuses the write if the condition is violated.
    """

    key: str
    value: bytes | None
    expected: int
    deleted: bool
    guard: Guard | None = None


class Outcome(NamedTuple):
    """The result of one write.

    - `revision`: the revision of the write; 0 if the database refused the write.
    - `created`: the revision at which the key was created; 0 for a refused write.
    - `previous`: the revision of the key's last change before the write; 0 if there was none.
    """

    revision: int
    created: int
    previous: int


class Read(NamedTuple):
    """The state of the log at one moment, and the rows that a reader lacks.

    Each replacement of all entries in the database begins a new epoch. Epochs have increasing numbers.

    - `known_epoch` and `after`: the reader has applied all changes up to the revision `after` of the epoch
      `known_epoch`.
    - `epoch`, `compacted` and `revision`: the log's epoch, last compaction and newest revision.
    - `rows`: the rows with revisions above `after`, or all rows if `is_whole`. In `Appended`, `rows` is empty
      if `is_whole`.
    """

    known_epoch: int
    after: int
    epoch: int
    compacted: int
    revision: int
    rows: list[Row]

    @property
    def is_whole(self) -> bool:
        """Whether the reader needs all rows of the log.

        True if the epoch differs, or if `after` is older than the last compaction or newer than `revision`.
        """
        return self.epoch != self.known_epoch or not self.compacted <= self.after <= self.revision


class Appended(NamedTuple):
    """The result of an append: the state of the log before it, and the outcome of each write.

    - `before`: the state of the log, with the rows after the revision `after`. `before` has no rows if the
      epoch differs, or if `after` is older than the last compaction.
    - `outcomes`: the outcomes in the order of the writes; empty if the epoch differs.
    """

    before: Read
    outcomes: list[Outcome]


class PostgresqlLog:
    """The log of committed writes in a PostgreSQL database.

    Each method runs one statement in its own transaction, and raises the exceptions of `Link.fetch`.
    """

    def __init__(self, writing: Link, reading: Link) -> None:
        self._writing = writing
        self._reading = reading

    async def read(self, epoch: int, after: int) -> Read:
        """Reads the state of the log, and the rows that a reader lacks.

        The reader has applied all changes up to the revision `after` of `epoch`. Raises `StorageFailed` if
        the database is damaged.
        """
        records = await self._reading.fetch(schema.READ, epoch, after)
        if not records:
            raise StorageFailed("the database is damaged: fakeapi_state is empty")
        first = records[0]
        rows = [_row(record) for record in records] if first["revision"] is not None else []
        return Read(epoch, after, first["epoch"], first["compacted"], first["current"], rows)

    async def append(self, epoch: int, known: int, writes: Sequence[Proposal]) -> Appended:
        """Stores the writes in order, except writes that the database refuses.

        The database refuses a write with a wrong expected revision or a failed precondition (`guard`).
        Returns the result of each write, and the earlier changes after `known`.

        - `epoch`: the epoch that this server knows; if the log's epoch differs, nothing is stored.
        - `known`: the newest revision that this server has applied.
        """
        guards = [write.guard for write in writes]
        records = await self._writing.fetch(
            schema.APPEND,
            known,
            epoch,
            [write.key.encode() for write in writes],
            [write.expected for write in writes],
            [write.deleted for write in writes],
            [write.value for write in writes],
            [None if guard is None else guard.prefix.encode() for guard in guards],
            [None if guard is None else _end_of(guard.prefix) for guard in guards],
            [None if guard is None else guard.since for guard in guards],
        )
        state, *rest = records
        gap = [_appended_row(record) for record in rest if record["o_number"] == 0]
        outcomes = [
            Outcome(record["o_revision"], record["o_created"], record["o_previous"])
            for record in rest
            if record["o_number"] > 0
        ]
        before = Read(epoch, known, state["o_previous"], state["o_created"], state["o_revision"], gap)
        return Appended(before, outcomes)

    async def compact(
        self, epoch: int, compacted: int, wanted: int, stale: Sequence[int], *, waits: bool
    ) -> int:
        """Compacts the log: deletes the rows of old revisions. Returns the revision of the last compaction.

        - `epoch`: the epoch that this server knows.
        - `compacted`: the revision of the last compaction that this server knows.
        - `wanted`: the revision to compact to.
        - `stale`: the revisions of the rows to delete.
        - `waits`: whether to wait while another server is compacting.

        Deletes nothing in these cases:

        - Another server is compacting, and `waits` is false. Returns `compacted`.
        - The log's epoch or last compaction differs from `epoch` or `compacted`.
        - `wanted` is newer than the log.
        """
        [record] = await self._writing.fetch(schema.COMPACT, epoch, compacted, wanted, stale, waits)
        last: int = record[0]
        return last

    async def replace(self, checkpoint: Checkpoint, *, rewind: bool) -> tuple[int, int]:
        """Replaces all rows with the entries of a checkpoint; returns the new revision and epoch.

        `rewind`: whether the new revision is the revision of the checkpoint. Otherwise the new revision is
        newer than the checkpoint and all old revisions.
        """
        entries = checkpoint.entries
        [record] = await self._writing.fetch(
            schema.REPLACE,
            checkpoint.revision,
            rewind,
            [entry.revision for entry in entries],
            [entry.key.encode() for entry in entries],
            [entry.created for entry in entries],
            [entry.value for entry in entries],
        )
        return record["o_revision"], record["o_epoch"]

    async def agree(self, name: str, proposal: str) -> str:
        """Stores the proposal under the name if the name is new.

        Returns the text that is stored under the name.
        """
        [record] = await self._writing.fetch(schema.AGREE, name, proposal)
        kept: str = record[0]
        return kept

    async def set_labels(self, labels: Mapping[str, str]) -> None:
        await self._writing.fetch(schema.SET_LABELS, json.dumps(dict(labels)))

    async def close(self) -> None:
        await self._writing.close()
        await self._reading.close()


def _end_of(prefix: str) -> bytes:
    end = successor(prefix)
    return _END if end is None else end.encode()


def _row(record: Record) -> Row:
    return Row(
        record["revision"],
        record["key"].decode(),
        record["created"],
        record["previous"],
        record["deleted"],
        record["value"],
    )


def _appended_row(record: Record) -> Row:
    return Row(
        record["o_revision"],
        record["o_key"].decode(),
        record["o_created"],
        record["o_previous"],
        record["o_deleted"],
        record["o_value"],
    )
