"""For any sequence of operations, a storage agrees with a simple model of Python dicts."""

import asyncio
import tempfile
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fakeapi_storage.errors import Compacted, FutureRevision, KeyExists, KeyNotFound, RevisionConflict
from fakeapi_storage.interface import INITIAL_REVISION, Checkpoint, Entry, Event, EventKind, Storage, Watcher
from fakeapi_storage.open import open_storage

KEYS = st.sampled_from(["/a", "/a/1", "/a/2", "/a/10", "/b/1", "/bé"])
PREFIXES = st.sampled_from(["", "/", "/a", "/a/", "/a/1", "/b", "/c"])
VALUES = st.binary(max_size=3)
WINDOW = 12


class Model:
    """A simple model of a storage: the entries at each revision, and the events between revisions."""

    def __init__(self, state: dict[str, Entry] | None = None, revision: int = INITIAL_REVISION) -> None:
        self.states: dict[int, dict[str, Entry]] = {revision: state or {}}
        self.events: list[Event] = []
        self.oldest = self.first = revision

    @property
    def revision(self) -> int:
        return self.first + len(self.events)

    def put(self, key: str, value: bytes) -> Entry:
        old = self.states[self.revision].get(key)
        revision = self.revision + 1
        new = Entry(key, value, revision, old.created if old else revision)
        self.states[revision] = {**self.states[revision - 1], key: new}
        self.events.append(Event(EventKind.PUT, new, old))
        return new

    def delete(self, key: str, value: bytes | None) -> Entry:
        state = dict(self.states[self.revision])
        old = state.pop(key)
        gone = Entry(key, old.value if value is None else value, self.revision + 1, old.created)
        self.states[self.revision + 1] = state
        self.events.append(Event(EventKind.DELETE, gone, old))
        return gone

    def entries(self, prefix: str, at: int) -> list[Entry]:
        state = self.states[at]
        return [state[key] for key in sorted(state) if key.startswith(prefix)]

    def since(self, prefix: str, revision: int) -> list[Event]:
        return [e for e in self.events if e.entry.revision > revision and e.entry.key.startswith(prefix)]


class StorageMachine(RuleBasedStateMachine):
    in_file: ClassVar[bool]

    @initialize()
    def begin(self) -> None:
        self.directory = tempfile.TemporaryDirectory()
        self.runner = asyncio.Runner()
        self.model = Model()
        self.pending: list[tuple[asyncio.Future[Entry], Entry]] = []
        self.watchers: list[tuple[Watcher, str, int]] = []
        self.checkpoint: Checkpoint | None = None
        self.storage = self.runner.run(self.open())

    async def open(self) -> Storage:
        path = Path(self.directory.name) / "storage.db" if self.in_file else None
        return await open_storage(path, window=WINDOW, watcher_buffer=10_000)

    def teardown(self) -> None:
        if hasattr(self, "storage"):
            self.commit()
            self.runner.run(self.storage.close())
            self.runner.close()
            self.directory.cleanup()

    def commit(self) -> None:
        async def gather() -> list[Entry]:
            results = await asyncio.gather(*(future for future, _ in self.pending))
            await self.storage.compact(INITIAL_REVISION)  # waits for an automatic compaction
            return results

        results = self.runner.run(gather())
        assert results == [expected for _, expected in self.pending]
        self.pending.clear()
        self.model.oldest = max(self.model.oldest, self.storage.oldest)

    async def write(self, key: str, value: bytes, *, delete: bool, stale: int) -> None:
        """Queues the same write to the storage and to the model.

        - `delete`: whether to delete an existing key
        - `stale`: if not 0, an update must fail, because its expected revision is wrong by this number
        """
        old = self.model.states[self.model.revision].get(key)
        assert self.storage.newest(key) == old
        if old is None:
            with pytest.raises(KeyNotFound):
                self.storage.update(key, value, self.model.revision)
            self.pending.append((self.storage.create(key, value), self.model.put(key, value)))
            return
        with pytest.raises(KeyExists):
            self.storage.create(key, value)
        if stale:
            with pytest.raises(RevisionConflict) as conflict:
                self.storage.update(key, value, old.revision - stale)
            assert conflict.value.actual == old
        elif delete:
            final = value or None
            self.pending.append(
                (self.storage.delete(key, old.revision, final), self.model.delete(key, final))
            )
        else:
            self.pending.append((self.storage.update(key, value, old.revision), self.model.put(key, value)))

    @rule(
        writes=st.lists(
            st.tuples(KEYS, VALUES, st.booleans(), st.sampled_from([0, 0, 0, 1, -1])), min_size=1, max_size=6
        ),
        wait=st.booleans(),
    )
    def write_some(self, writes: list[tuple[str, bytes, bool, int]], *, wait: bool) -> None:
        async def queue() -> None:
            for key, value, delete, stale in writes:
                await self.write(key, value, delete=delete, stale=stale)

        self.runner.run(queue())
        if wait:
            self.commit()

    @rule(prefix=PREFIXES, back=st.integers(-2, 15), limit=st.none() | st.integers(1, 3))
    def list_in_pages(self, prefix: str, back: int, limit: int | None) -> None:
        self.commit()
        at = self.model.revision - back
        if at > self.model.revision:
            with pytest.raises(FutureRevision):
                self.storage.list(prefix, at=at)
            return
        if at < self.model.oldest:
            with pytest.raises(Compacted):
                self.storage.list(prefix, at=at)
            return
        expected = self.model.entries(prefix, at)
        seen: list[Entry] = []
        while True:
            after = seen[-1].key if seen else None
            page = self.storage.list(prefix, start_after=after, limit=limit, at=at if back else None)
            seen += page.entries
            assert page.revision == at
            assert page.remaining == len(expected) - len(seen)
            if not page.more:
                break
        assert seen == expected

    @rule(prefix=PREFIXES, back=st.integers(-2, 15))
    def watch(self, prefix: str, back: int) -> None:
        since = self.storage.revision - back
        if since < self.model.oldest:
            self.model.oldest = self.storage.oldest
        if since < self.model.oldest:
            with pytest.raises(Compacted):
                self.storage.watch(prefix, since)
        else:
            self.watchers.append((self.storage.watch(prefix, since), prefix, since))

    @rule()
    def read_watchers(self) -> None:
        self.commit()
        for index, (watcher, prefix, since) in enumerate(self.watchers):
            expected = self.model.since(prefix, since)
            events: list[Event] = []
            while len(events) < len(expected):
                events += self.runner.run(watcher.next_batch())
            assert events == expected
            assert watcher.progress == self.model.revision
            self.watchers[index] = (watcher, prefix, max(since, self.model.revision))

    @rule(back=st.integers(0, 15))
    def compact(self, back: int) -> None:
        self.commit()
        revision = max(self.model.revision - back, self.model.first)
        self.runner.run(self.storage.compact(revision))
        self.model.oldest = max(self.model.oldest, revision)

    @rule()
    def reset(self) -> None:
        self.commit()
        self.runner.run(self.storage.reset())
        self.model = Model()
        self.watchers.clear()

    @rule()
    def take_checkpoint(self) -> None:
        self.commit()
        self.checkpoint = self.storage.checkpoint()
        state = self.model.states[self.model.revision]
        assert self.checkpoint == Checkpoint(tuple(state[key] for key in sorted(state)), self.model.revision)

    @precondition(lambda self: self.checkpoint is not None)
    @rule(rewind=st.booleans())
    def restore(self, *, rewind: bool) -> None:
        self.commit()
        checkpoint = self.checkpoint
        assert checkpoint is not None
        newest = max(self.model.revision, checkpoint.revision) + 1
        self.runner.run(self.storage.restore(checkpoint, rewind=rewind))
        state = {entry.key: entry for entry in checkpoint.entries}
        self.model = Model(state, checkpoint.revision if rewind else newest)
        self.watchers.clear()

    @precondition(lambda self: self.in_file)
    @rule()
    def reopen(self) -> None:
        self.commit()
        self.runner.run(self.storage.close())
        self.storage = self.runner.run(self.open())
        self.watchers.clear()
        assert self.storage.oldest >= self.model.oldest
        self.model.oldest = self.storage.oldest
        for event in self.model.since("", self.model.oldest)[:1]:
            watcher = self.storage.watch("", self.model.oldest)
            assert self.runner.run(watcher.next_batch())[0] == event

    @invariant()
    def committed_state_is_a_state_of_the_model(self) -> None:
        if not hasattr(self, "storage"):
            return
        revision = self.storage.revision
        assert self.storage.list("").entries == self.model.entries("", revision)
        if not self.pending:
            assert revision == self.model.revision
            assert self.storage.oldest == self.model.oldest
            assert revision - self.storage.oldest <= WINDOW + 1


class InMemory(StorageMachine):
    in_file = False


class InFile(StorageMachine):
    in_file = True


_settings = settings(max_examples=40, stateful_step_count=30, deadline=None, derandomize=True)
TestInMemory = InMemory.TestCase
TestInMemory.settings = _settings
TestInFile = InFile.TestCase
TestInFile.settings = _settings
