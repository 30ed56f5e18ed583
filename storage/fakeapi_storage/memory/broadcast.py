"""Delivers committed events to watchers, without waiting for their consumers."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Sequence

from fakeapi_storage.errors import Closed, StorageError, WatcherOverflow
from fakeapi_storage.interface import Event

WATCHER_BUFFER_EVENTS_MAX = 4_096
"""Maximum number of live events in a watcher's buffer; the watcher ends if there are more.

Until its consumer takes the first batch, the watcher may also have events from the history.
"""

DELIVERED_BYTES_MAX = 4 * 1024 * 1024
"""Number of bytes of events after which no further watcher receives events in this turn of the event loop.

The other watchers keep the events in their buffers, and receive the events in later turns. Between these
turns, other clients are served.
"""

COST_OF_DELIVERY = 2048
"""Number of bytes that each delivery counts in addition to its events, for the time of the delivery."""


class Subscription:
    """A watcher with a buffer of events for one consumer."""

    __slots__ = (
        "_broadcast",
        "_buffer",
        "_ended",
        "_floor",
        "_is_queued",
        "_progress",
        "_room",
        "_take",
        "_topic",
        "_waiting",
    )

    def __init__(self, broadcast: "Broadcast", topic: "Topic", backlog: list[Event], floor: int) -> None:
        self._broadcast = broadcast
        self._topic = topic
        self._buffer = backlog
        self._floor = floor
        self._room = broadcast.limit + len(backlog)
        self._progress = 0
        self._ended: StorageError | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._is_queued = False
        self._take: Callable[[Sequence[Event]], bool] | None = None

    @property
    def progress(self) -> int:
        if self._buffer:
            return self._buffer[0].entry.revision - 1
        return self._progress if self._ended is not None else self._broadcast.revision

    @property
    def waiting(self) -> int:
        return len(self._buffer)

    async def next_batch(self) -> list[Event]:
        while not self._buffer:
            if self._ended is not None:
                raise self._ended
            self._waiting = asyncio.get_running_loop().create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        batch, self._buffer = self._buffer, []
        self._room = self._broadcast.limit
        return batch

    def deliver(self, take: Callable[[Sequence[Event]], bool]) -> None:
        self._take = take

    def close(self) -> None:
        self.end(Closed("watcher"), drop=True)

    @property
    def waiting_bytes(self) -> int:
        """The number of bytes of the events in the buffer."""
        return size_of(self._buffer)

    def offer(self, events: Sequence[Event], size: int) -> None:
        """Delivers the next events to the consumer, or adds them to the buffer.

        Ends the watcher with `WatcherOverflow` if the buffer gets too many events. `size`: the size of the
        events.
        """
        if self._floor >= events[0].entry.revision:
            events = [event for event in events if event.entry.revision > self._floor]
        buffer, waiting = self._buffer, self._waiting
        if not events or (
            self._take is not None
            and not buffer
            and waiting is not None
            and not waiting.done()
            and self._broadcast.spend(size)
            and self._take(events)
        ):
            return
        buffer.extend(events)
        if len(buffer) > self._room:
            self.end(WatcherOverflow(self._room), drop=True)
        elif buffer and not self._is_queued and waiting is not None and not waiting.done():
            self._is_queued = True
            self._broadcast.wake_in_turn(self)

    def wake_queued(self) -> None:
        """Wakes the consumer when its turn has come."""
        self._is_queued = False
        self._wake()

    def end(self, reason: StorageError, *, drop: bool) -> None:
        """Ends the watcher, unless it has already ended.

        `reason` is the exception for the consumer. `drop`: whether to discard the events in the buffer.
        """
        if self._ended is not None:
            return
        if drop:
            self._progress = self.progress
            self._buffer = []
        else:
            self._progress = self._broadcast.revision
        self._ended = reason
        self._broadcast.leave(self, self._topic)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Topic:
    """The watchers of one key prefix."""

    __slots__ = ("prefix", "watchers")

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.watchers: dict[Subscription, None] = {}

    def pick(self, events: Sequence[Event]) -> list[Event]:
        prefix = self.prefix
        return [event for event in events if event.entry.key.startswith(prefix)]


class Broadcast:
    """All watchers, grouped by the prefix that they watch.

    `publish` looks up the beginning of an event's key once for each length of a watched prefix. Therefore the
    cost depends on the number of different lengths, not on the number of prefixes.
    """

    def __init__(self, revision: int, limit: int) -> None:
        self.revision = revision
        self.limit = limit
        self._topics: dict[str, Topic] = {}
        self._lengths: Counter[int] = Counter()
        self._left = 0
        self._queue: deque[Subscription] = deque()

    @property
    def watched(self) -> list[str]:
        """The prefixes that have watchers."""
        return [*self._topics]

    def is_watched(self, key: str) -> bool:
        """Whether any watcher receives the events of this key."""
        return any(key[:length] in self._topics for length in self._lengths if length <= len(key))

    def subscribe(self, prefix: str, backlog: list[Event], floor: int) -> Subscription:
        """Returns a new watcher of the events after the revision `floor`.

        The watcher first returns the matching events in `backlog`.
        """
        topic = self._topics.get(prefix)
        if topic is None:
            topic = self._topics[prefix] = Topic(prefix)
            self._lengths[len(prefix)] += 1
        watcher = Subscription(self, topic, topic.pick(backlog), floor)
        topic.watchers[watcher] = None
        return watcher

    def leave(self, watcher: Subscription, topic: Topic) -> None:
        topic.watchers.pop(watcher, None)
        if not topic.watchers and self._topics.get(topic.prefix) is topic:
            del self._topics[topic.prefix]
            length = len(topic.prefix)
            self._lengths[length] -= 1
            if not self._lengths[length]:
                del self._lengths[length]

    def publish(self, events: Sequence[Event]) -> None:
        """Delivers committed events, in order, to each watcher of a prefix of the event's key."""
        self.revision = events[-1].entry.revision
        self._left = DELIVERED_BYTES_MAX
        concerned: dict[Topic, list[Event]] = {}
        for event in events:
            key = event.entry.key
            for length in self._lengths:
                topic = self._topics.get(key[:length]) if length <= len(key) else None
                if topic is not None:
                    concerned.setdefault(topic, []).append(event)
        for topic, picked in concerned.items():
            size = size_of(picked)
            for watcher in [*topic.watchers]:
                watcher.offer(picked, size)

    def spend(self, size: int) -> bool:
        """Counts a delivery of `size` bytes; returns whether this turn of the event loop has room for the
        bytes.

        The first delivery of a turn always has room.
        """
        has_room = self._left > 0
        self._left -= size + COST_OF_DELIVERY
        return has_room

    def wake_in_turn(self, watcher: Subscription) -> None:
        """Wakes a watcher now if this turn has room for its events, otherwise in a later turn."""
        if not self._queue:
            if self.spend(watcher.waiting_bytes):
                watcher.wake_queued()
                return
            asyncio.get_running_loop().call_soon(self._wake_queued)
        self._queue.append(watcher)

    def _wake_queued(self) -> None:
        """Wakes as many waiting watchers as one turn of the event loop has room for."""
        self._left = DELIVERED_BYTES_MAX
        while self._queue and self.spend(self._queue[0].waiting_bytes):
            self._queue.popleft().wake_queued()
        if self._queue:
            asyncio.get_running_loop().call_soon(self._wake_queued)

    def end(self, reason: StorageError, *, drop: bool) -> None:
        """Ends every watcher with the exception `reason`.

        `drop`: whether to discard the events in the buffers.
        """
        for topic in [*self._topics.values()]:
            for watcher in [*topic.watchers]:
                watcher.end(reason, drop=drop)


def size_of(events: Sequence[Event]) -> int:
    """Returns the number of bytes of the events' values."""
    return sum([len(event.entry.value) for event in events])
