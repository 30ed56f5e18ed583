"""JournalAccess: gives a test the journal of its running server, from the thread of the test."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from fakeapi.journal.checking import check_pattern
from fakeapi.journal.entry import Entry
from fakeapi.journal.pattern import RequestPattern

if TYPE_CHECKING:
    from fakeapi.cluster import Cluster
    from fakeapi.serving.runner import Runner


class Arrivals:
    """Wakes a waiting thread when a request arrives. The server's thread calls `note`."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def note(self, entry: Entry) -> None:
        self._event.set()

    def wait(self, seconds: float) -> bool:
        """Waits until a request has arrived since the last call.

        Returns whether a request has arrived. Gives up after `seconds`.
        """
        came = self._event.wait(max(0.0, seconds))
        self._event.clear()
        return came


class JournalAccess:
    """The journal of a running server, for `Requests`. Every method runs in the server's event loop."""

    def __init__(self, cluster: "Cluster", runner: "Runner") -> None:
        self._cluster = cluster
        self._runner = runner

    def entries(self, after: int = 0) -> list[Entry]:
        """Returns the entries with a number above `after`. Includes all requests answered before this
        call.
        """

        async def read() -> list[Entry]:
            return [*self._cluster.journal.entries(after)]

        return self._runner.call(read)

    def check_pattern(self, pattern: RequestPattern) -> None:
        """Raises PatternError if a pattern cannot match a request for a served resource."""

        async def check() -> None:
            check_pattern(pattern, self._cluster.catalogue)

        self._runner.call(check)

    def clear_journal(self) -> None:
        """Deletes all entries of the journal."""

        async def clear() -> None:
            self._cluster.journal.clear()

        self._runner.call(clear)

    @contextmanager
    def listening(self, listener: Callable[[Entry], None]) -> Iterator[None]:
        """Context manager. During its block, `listener` receives each new request in the server's thread."""
        cancels: list[Callable[[], None]] = []

        async def subscribe() -> None:
            cancels.append(self._cluster.journal.subscribe(listener))

        async def unsubscribe() -> None:
            cancels.pop()()

        self._runner.call(subscribe)
        try:
            yield
        finally:
            with suppress(RuntimeError):  # the server has stopped
                self._runner.call(unsubscribe)

    @contextmanager
    def arrivals(self) -> Iterator[Arrivals]:
        """Context manager that yields an Arrivals object, which notes each new request during the block."""
        arrivals = Arrivals()
        with self.listening(arrivals.note):
            yield arrivals
