"""How many bytes of responses wait for clients to read, by connection and in all, and who waits for room."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fakeapi.asgi import NoRoom

SERVER_BYTES_MAX = 256 * 1024 * 1024
"""Unread bytes of all connections. At the limit a long answer waits for its turn before it is made. At twice
the limit, which many short answers can reach, the connection with the most unread bytes is dropped."""

CONNECTION_BYTES_MAX = 64 * 1024 * 1024
"""Unread bytes of one connection. At the limit its further requests wait before they are served."""

ROOM_SECONDS = 10.0
"""A long answer waits as long for room. Then it is refused with 429, and the client may ask again."""

UNREAD_SECONDS = 60.0
"""A response that is ready waits as long for a client that reads nothing, and up to 32 s longer. Then its
HTTP/2 stream is reset, or the HTTP/1.1 connection dropped. kube-apiserver ends each request other than a
watch 60 s after it began (`--request-timeout`)."""

STALLED_SECONDS = 3.0
"""While others wait for room, clients that have read nothing for this long are dropped."""

LOOK_SECONDS = 0.5
"""Between two looks for clients that have read nothing, while others wait for room."""


@dataclass(slots=True, eq=False)
class _Waiter:
    """A request that waits for room for `size` bytes."""

    account: "ConnectionBytes"
    size: int
    granted: "asyncio.Future[None]"


class ResponseBytes:
    """The unread bytes of all connections of a listener, and the requests that wait for room, in order."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.total = 0
        self.accounts: set[ConnectionBytes] = set()
        self._waiters: list[_Waiter] = []

    def fits(self, size: int) -> bool:
        """Whether all clients together have room for an answer of so many bytes.

        Always true for an answer alone, and for size 0: a request whose answer is not known yet.
        """
        return not size or not self.total or self.total + size <= SERVER_BYTES_MAX

    async def wait(self, account: "ConnectionBytes", size: int, seconds: float | None) -> None:
        """Returns with `size` bytes reserved, or when the connection has ended.

        Raises NoRoom after `seconds`.
        """
        waiter = _Waiter(account, size, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self.give_back(0)
        deadline = math.inf if seconds is None else self.now() + seconds
        try:
            while not waiter.granted.done() and self.now() < deadline:
                if self._waiters[0] is waiter and not self.fits(size):
                    self._drop_stalled()
                await asyncio.wait([waiter.granted], timeout=LOOK_SECONDS)
        except BaseException:
            if waiter.granted.done():
                account.release(size)
            raise
        finally:
            if waiter in self._waiters:
                self._waiters.remove(waiter)
        if not waiter.granted.done():
            raise NoRoom

    def give_back(self, size: int) -> None:
        """Gives room to the requests that wait, the oldest first, as far as they fit."""
        self.total -= size
        is_full = False
        for waiter in list(self._waiters):
            account, size = waiter.account, waiter.size
            if not account.fits(size):
                continue
            is_full = is_full or not (account.closed or self.fits(size))
            if is_full and size and not account.closed:
                continue
            self._waiters.remove(waiter)
            account.reserve(size)
            waiter.granted.set_result(None)

    @property
    def is_full(self) -> bool:
        """Whether requests wait for room, which are to have it first."""
        return any(waiter.size for waiter in self._waiters)

    def _drop_stalled(self) -> None:
        """Drops clients that have read nothing for long, where they keep others from being served."""
        since = self.now() - STALLED_SECONDS
        for account in [account for account in self.accounts if account.is_stalled(since)]:
            account.drop()

    def drop_largest(self) -> None:
        max(self.accounts, key=lambda account: account.held).drop()


class ConnectionBytes:
    """The unread bytes of one connection. `abort` ends the connection at once."""

    def __init__(self, server: ResponseBytes, abort: Callable[[], None]) -> None:
        self.held = 0
        self._reserved = 0
        self.closed = False
        self.progressed_at = 0.0
        self._abort = abort
        self._server = server
        server.accounts.add(self)

    def fits(self, size: int) -> bool:
        """Whether the connection has room for an answer of so many bytes. One answer alone always fits."""
        counted = self.held + self._reserved
        return self.closed or not counted or counted + size <= CONNECTION_BYTES_MAX

    def add(self, size: int) -> None:
        """Counts bytes that the client is to read."""
        if self.closed or not size:
            return
        if not self.held:
            self.progressed_at = self._server.now()
        self.held += size
        self._server.total += size
        if self._server.total > max(2 * SERVER_BYTES_MAX, self.held):
            self._server.drop_largest()

    def remove(self, size: int) -> None:
        """Counts bytes that the client has read, or never will."""
        if self.closed or not size:
            return
        self.progressed_at = self._server.now()
        self.held -= size
        self._server.give_back(size)

    def reserve(self, size: int) -> None:
        """Counts bytes of an answer that is being made."""
        if not self.closed:
            self._reserved += size
            self._server.total += size

    def release(self, size: int) -> None:
        """Ends what `reserve` began."""
        if not self.closed:
            self._reserved -= size
            self._server.give_back(size)

    def is_stalled(self, since: float) -> bool:
        """Whether bytes are unread and the client has read none since then."""
        return self.held > 0 and self.progressed_at <= since

    def close(self) -> None:
        """Forgets all: the connection has ended."""
        self.remove(self.held)
        self.release(self._reserved)
        self.closed = True
        self._server.accounts.discard(self)
        self._server.give_back(0)

    def drop(self) -> None:
        """Ends the connection, whose bytes do not count any more."""
        self.close()
        self._abort()

    async def turn(self) -> None:
        """Returns when the connection has few enough unread bytes for another request."""
        if not self.fits(0):
            await self._server.wait(self, 0, None)

    @asynccontextmanager
    async def room(self, size: int) -> AsyncIterator[None]:
        """The extension ROOM: keeps room while an answer of so many bytes is made. Raises NoRoom."""
        if not self.fits(size) or self._server.is_full or not self._server.fits(size):
            await self._server.wait(self, size, ROOM_SECONDS)
        else:
            self.reserve(size)
        try:
            yield
        finally:
            self.release(size)
