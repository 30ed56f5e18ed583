"""Journal: the last requests of a server, bounded in number, their bodies in bytes."""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from fakeapi.journal.entry import Bodies, Entry, Raw, Record

ENTRIES_MAX = 10_000
"""Requests that are kept; beyond, the oldest are forgotten, open watches too."""

BODIES_BYTES_MAX = 32 * 1024 * 1024
"""Bytes of bodies that are kept; beyond, those of the oldest requests are forgotten, their entries stay."""

BODY_MAX = 64 * 1024
"""Bytes of one body that is kept; a longer one is left out of its entry, which says how long it was."""

TEXT_MAX = 1024
"""Bytes of a path, a query or a User-Agent that are kept; the rest is cut off."""

Listener = Callable[[Entry], None]


class Journal:
    """The requests that a server has answered, in the order of their answers; used in one event loop.

    `last` is the number of the newest one, 0 before the first.
    """

    def __init__(self) -> None:
        self._records: deque[Raw] = deque(maxlen=ENTRIES_MAX)
        self._bodies: deque[tuple[int, bytes, bytes]] = deque()
        self._bytes = 0
        self._listeners: list[Listener] = []
        self.last = 0

    def __len__(self) -> int:
        return len(self._records)

    @property
    def forgotten(self) -> int:
        """How many requests are not kept any more."""
        return self.last - len(self._records)

    def append(self, record: Raw, sent: bytes, answer: bytes) -> None:
        """Notes a request with what is to be kept of its bodies; forgets the oldest where it is too much."""
        self._records.append(record)
        self.last = number = self.last + 1
        if sent or answer:
            self._keep(number, sent, answer)
        if self._listeners:
            entry = Entry(number, Record(*record), Bodies(*self._bodies_of(number)))
            for listener in self._listeners:
                listener(entry)

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """The entries that are kept, from the oldest on, whose numbers are greater than `after`."""
        bodies = {number: (sent, answer) for number, sent, answer in self._bodies}
        for number, record in enumerate(self._records, self.forgotten + 1):
            if number > after:
                yield Entry(number, Record(*record), Bodies(*bodies.get(number, ())))

    def records(self, after: int = 0) -> Iterator[Record]:
        """The records of `entries`, without what it takes to tell of each, from the newest on."""
        return map(Record._make, islice(reversed(self._records), max(0, self.last - after)))

    def entry(self, number: int) -> Entry | None:
        """The entry of this number; None for one that is forgotten, or yet to come."""
        index = number - self.forgotten - 1
        if not 0 <= index < len(self._records):
            return None
        return Entry(number, Record(*self._records[index]), Bodies(*self._bodies_of(number)))

    def open_watches(self) -> list[Entry]:
        """The entries of watches that are open."""
        return [each for each in self.entries() if each.watch is not None and each.watch.is_open]

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Calls `listener` with every new entry, in the server's loop; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def clear(self) -> None:
        """Forgets all entries; numbers begin again."""
        self._records.clear()
        self._bodies.clear()
        self._bytes = self.last = 0

    def _bodies_of(self, number: int) -> tuple[bytes, ...]:
        """Those that are kept; the newest is found first."""
        for of, sent, answer in reversed(self._bodies):
            if of <= number:
                return (sent, answer) if of == number else ()
        return ()

    def _keep(self, number: int, sent: bytes, answer: bytes) -> None:
        sent = sent if len(sent) <= BODY_MAX else b""
        answer = answer if len(answer) <= BODY_MAX else b""
        bodies = self._bodies
        bodies.append((number, sent, answer))
        self._bytes += len(sent) + len(answer)
        while bodies and (self._bytes > BODIES_BYTES_MAX or bodies[0][0] <= number - ENTRIES_MAX):
            _, sent, answer = bodies.popleft()
            self._bytes -= len(sent) + len(answer)
