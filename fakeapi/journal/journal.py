"""Journal: the last requests of a server. Limits the number of requests and the size of their bodies."""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice

from fakeapi.journal.entry import Bodies, Entry, Raw, Record

ENTRIES_MAX = 10_000
"""Maximum number of requests in the journal.

A full journal drops the oldest requests, including open watches.
"""

BODIES_BYTES_MAX = 32 * 1024 * 1024
"""Maximum size of all bodies in bytes.

Over the limit, the journal drops the oldest bodies, but keeps the entries.
"""

BODY_MAX = 64 * 1024
"""Maximum size of one body in bytes. The journal does not keep longer bodies."""

TEXT_MAX = 1024
"""Maximum length of a User-Agent, and of path and query, in bytes. The journal cuts longer values."""

Listener = Callable[[Entry], None]

_NO_BODIES = (0, b"", b"")
"""The bodies of no request, because the first request has the number 1."""


class Journal:
    """The last requests of a server, in the order of their responses.

    Call all methods from one event loop. `last`: the number of the newest request; 0 without requests.
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
        """The number of requests that the journal has dropped because it was full."""
        return self.last - len(self._records)

    def append(self, record: Raw, sent: bytes, answer: bytes) -> None:
        """Adds a request to the journal, and passes it to the listeners.

        Drops the oldest requests over ENTRIES_MAX, and the oldest bodies over BODIES_BYTES_MAX. Does not keep
        a body over BODY_MAX.

        - `record`: the fields of the request's Record.
        - `sent`, `answer`: the bodies of the request and its response.
        """
        self._records.append(record)
        self.last = number = self.last + 1
        if sent or answer:
            self._keep(number, sent, answer)
        if self._listeners:
            entry = Entry(number, Record(*record), Bodies(*self._bodies_of(number)))
            for listener in self._listeners:
                listener(entry)

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Returns the entries with a number above `after`, oldest first."""
        return reversed([*self.newest_entries(after)])

    def newest_entries(
        self, after: int = 0, matches: Callable[[Record], bool] = lambda _: True
    ) -> Iterator[Entry]:
        """Yields the entries with a number above `after`, newest first.

        `matches`: returns whether to yield the entry of a record.
        """
        kept = reversed(self._bodies)
        of, sent, answer = next(kept, _NO_BODIES)
        for number, raw in zip(range(self.last, after, -1), reversed(self._records), strict=False):
            record = Record(*raw)
            if not matches(record):
                continue
            while of > number:
                of, sent, answer = next(kept, _NO_BODIES)
            yield Entry(number, record, Bodies(sent, answer) if of == number else Bodies())

    def records(self, after: int = 0) -> Iterator[Record]:
        """Returns the records with a number above `after`, newest first. This is faster than `entries`."""
        return map(Record._make, islice(reversed(self._records), max(0, self.last - after)))

    def entry(self, number: int) -> Entry | None:
        """Returns the entry with this number; None if the journal does not have it or has dropped it."""
        index = number - self.forgotten - 1
        if not 0 <= index < len(self._records):
            return None
        return Entry(number, Record(*self._records[index]), Bodies(*self._bodies_of(number)))

    def open_watches(self) -> list[Entry]:
        """Returns the entries of open watches, oldest first."""
        return [entry for entry in self.entries() if entry.watch is not None and entry.watch.is_open]

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Registers a function that receives every new entry, in the server's event loop.

        Returns a function that cancels the registration.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def clear(self) -> None:
        """Deletes all entries. The next entry has number 1."""
        self._records.clear()
        self._bodies.clear()
        self._bytes = self.last = 0

    def _bodies_of(self, number: int) -> tuple[bytes, ...]:
        """Returns the request body and the response body of an entry; empty if they were not kept.

        Searches from the newest entry backwards.
        """
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
