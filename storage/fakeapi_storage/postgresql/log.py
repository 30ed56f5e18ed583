"""The log in a PostgreSQL database: what a server reads of it, and how it changes it."""

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
"""Sorts after every key."""


class Proposal(NamedTuple):
    """A write as it is sent. `expected` is 0 for a create.

    It is refused too if its `guard` does not hold.
    """

    key: str
    value: bytes | None
    expected: int
    deleted: bool
    guard: Guard | None = None


class Outcome(NamedTuple):
    """The outcome of a write; `revision` is 0 if it was refused."""

    revision: int
    created: int
    previous: int


class Read(NamedTuple):
    """The log at one moment, for a reader that knew everything up to `after` of the epoch `known_epoch`.

    `rows` are those after that revision, or all rows where the epoch is another one, or that revision is
    older than the last compaction or newer than `revision`.
    """

    known_epoch: int
    after: int
    epoch: int
    compacted: int
    revision: int
    rows: list[Row]

    @property
    def is_whole(self) -> bool:
        """Whether all rows were read."""
        return self.epoch != self.known_epoch or not self.compacted <= self.after <= self.revision


class Appended(NamedTuple):
    """The result of an append: the rows of the log before it, and the outcome of each write.

    There are no outcomes where the epoch is another one. `before.rows` are those after the revision that was
    named, none if that is older than the last compaction.
    """

    before: Read
    outcomes: list[Outcome]


class PostgresqlLog:
    """The log. Each method is one statement and one transaction, and raises what `Link.fetch` raises."""

    def __init__(self, writing: Link, reading: Link) -> None:
        self._writing = writing
        self._reading = reading

    async def read(self, epoch: int, after: int) -> Read:
        """The state, and what a reader lacks that knows everything up to `after`."""
        records = await self._reading.fetch(schema.READ, epoch, after)
        if not records:
            raise StorageFailed("the database is damaged: fakeapi_state is empty")
        first = records[0]
        rows = [_row(each) for each in records] if first["revision"] is not None else []
        return Read(epoch, after, first["epoch"], first["compacted"], first["current"], rows)

    async def append(self, epoch: int, known: int, writes: Sequence[Proposal]) -> Appended:
        """Stores those of the writes that fit the state that those before them leave."""
        guards = [each.guard for each in writes]
        records = await self._writing.fetch(
            schema.APPEND,
            known,
            epoch,
            [each.key.encode() for each in writes],
            [each.expected for each in writes],
            [each.deleted for each in writes],
            [each.value for each in writes],
            [None if guard is None else guard.prefix.encode() for guard in guards],
            [None if guard is None else _end_of(guard.prefix) for guard in guards],
            [None if guard is None else guard.since for guard in guards],
        )
        state, *rest = records
        gap = [_appended_row(each) for each in rest if each["o_number"] == 0]
        outcomes = [
            Outcome(each["o_revision"], each["o_created"], each["o_previous"])
            for each in rest
            if each["o_number"] > 0
        ]
        before = Read(epoch, known, state["o_previous"], state["o_created"], state["o_revision"], gap)
        return Appended(before, outcomes)

    async def compact(
        self, epoch: int, compacted: int, wanted: int, stale: Sequence[int], *, waits: bool
    ) -> int:
        """Deletes the rows with the revisions `stale`, unless another server has compacted since `compacted`,
        or, where it does not wait, is doing so. Returns the revision of the last compaction.
        """
        [record] = await self._writing.fetch(schema.COMPACT, epoch, compacted, wanted, stale, waits)
        found: int = record[0]
        return found

    async def replace(self, checkpoint: Checkpoint, *, rewind: bool) -> tuple[int, int]:
        """Stores these entries in the place of all rows. Returns the revision and the epoch that begin."""
        entries = checkpoint.entries
        [record] = await self._writing.fetch(
            schema.REPLACE,
            checkpoint.revision,
            rewind,
            [each.revision for each in entries],
            [each.key.encode() for each in entries],
            [each.created for each in entries],
            [each.value for each in entries],
        )
        return record["o_revision"], record["o_epoch"]

    async def agree(self, name: str, proposal: str) -> str:
        """Keeps the text under the name, unless there is one. Returns what is kept."""
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
