"""Limits the memory for responses that clients have not read, per connection and for the whole server."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import msgspec

from fakeapi.asgi import NoRoom

SERVER_BYTES_MAX = 256 * 1024 * 1024
"""Maximum number of unread response bytes of all connections together.

At the limit, the server does not start to generate more long responses. Many short responses can exceed the
limit. Above twice the limit, the server closes the connection with the most unread bytes, unless one
connection has all unread bytes.
"""

CONNECTION_BYTES_MAX = 64 * 1024 * 1024
"""Maximum number of unread response bytes of one connection.

At the limit, new requests of the connection wait.
"""

ROOM_SECONDS = 10.0
"""Maximum seconds that a long response waits for memory.

After that, the request gets 429, and may be retried.
"""

UNREAD_SECONDS = 60.0
"""Seconds without reading after which the server drops a complete response.

The server resets the HTTP/2 stream or closes the HTTP/1.1 connection, up to 32 s later. kube-apiserver ends
every request except watches after 60 s (`--request-timeout`).
"""

STALLED_SECONDS = 3.0
"""Seconds without reading after which the server disconnects a client, if other responses wait for memory."""

LOOK_SECONDS = 0.5
"""Seconds between two checks for clients that do not read, while other responses wait for memory."""


class _Waiter(msgspec.Struct, eq=False):
    """A request that waits until memory is reserved for its response.

    - `size`: the size of the response in bytes; 0 if the size is not known yet.
    - `granted`: completes when the memory is reserved.
    """

    account: "ConnectionBytes"
    size: int
    granted: "asyncio.Future[None]"


class ResponseBytes:
    """The unread response bytes of all connections, with a queue of requests that wait for memory."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.total = 0
        self.accounts: set[ConnectionBytes] = set()
        self._waiters: list[_Waiter] = []

    def fits(self, size: int) -> bool:
        """Whether a response of `size` bytes stays below the limit for all connections together.

        Always true for size 0 (unknown), or if no bytes are unread or reserved.
        """
        return not size or not self.total or self.total + size <= SERVER_BYTES_MAX

    async def wait(self, account: "ConnectionBytes", size: int, seconds: float | None) -> None:
        """Waits until memory for `size` bytes is reserved, or until the connection has ended.

        - `account`: the connection of the response.
        - `seconds`: the maximum time to wait; None for no limit.

        Raises NoRoom if the memory is not free in this time.
        """
        waiter = _Waiter(account, size, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self.grant_room()
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
                self.grant_room()
        if not waiter.granted.done():
            raise NoRoom

    def give_back(self, size: int) -> None:
        """Subtracts `size` bytes from the total, and continues waiting requests whose responses now fit."""
        self.total -= size
        self.grant_room()

    def grant_room(self) -> None:
        """Reserves memory for waiting requests whose responses now fit, oldest first.

        If a response would exceed the limit for all connections, later responses of known size wait too.
        """
        has_room = True
        for waiter in list(self._waiters):
            account, size = waiter.account, waiter.size
            if not account.fits(size):
                continue
            has_room = has_room and (account.closed or self.fits(size))
            if size and not (has_room or account.closed):
                continue
            self._waiters.remove(waiter)
            account.reserve(size)
            waiter.granted.set_result(None)

    @property
    def is_full(self) -> bool:
        """Whether long responses are waiting for memory, so that new long responses must wait too."""
        return any(waiter.size for waiter in self._waiters)

    def _drop_stalled(self) -> None:
        """Disconnects all clients that have read nothing for STALLED_SECONDS."""
        since = self.now() - STALLED_SECONDS
        for account in [account for account in self.accounts if account.is_stalled(since)]:
            account.drop()

    def drop_largest(self) -> None:
        max(self.accounts, key=lambda account: account.held).drop()


class ConnectionBytes:
    """The unread response bytes of one connection.

    - `held`: the number of unread bytes.
    - `progressed_at`: when the client last read bytes.
    - `abort`: closes the connection at once.
    """

    def __init__(self, server: ResponseBytes, abort: Callable[[], None]) -> None:
        self.held = 0
        self._reserved = 0
        self.closed = False
        self.progressed_at = 0.0
        self._abort = abort
        self._server = server
        server.accounts.add(self)

    def fits(self, size: int) -> bool:
        """Whether `size` more bytes stay below the limit of the connection.

        Always true if the connection has no unread or reserved bytes, or has ended.
        """
        counted = self.held + self._reserved
        return self.closed or not counted or counted + size <= CONNECTION_BYTES_MAX

    def add(self, size: int) -> None:
        """Counts response bytes that the client has not read yet."""
        if self.closed or not size:
            return
        if not self.held:
            self.progressed_at = self._server.now()
        self.held += size
        self._server.total += size
        if self._server.total > max(2 * SERVER_BYTES_MAX, self.held):
            self._server.drop_largest()

    def remove(self, size: int) -> None:
        """Subtracts response bytes that the client has read or will never read."""
        if self.closed or not size:
            return
        self.progressed_at = self._server.now()
        self.held -= size
        self._server.give_back(size)

    def reserve(self, size: int) -> None:
        """Reserves memory for a response that the application is about to generate."""
        if not self.closed:
            self._reserved += size
            self._server.total += size

    def release(self, size: int) -> None:
        """Releases memory that `reserve` has reserved. `size`: the size passed to `reserve`."""
        if not self.closed:
            self._reserved -= size
            self._server.give_back(size)

    def is_stalled(self, since: float) -> bool:
        """Whether the client has unread response bytes, and has read nothing since `since`.

        `since`: a time on the clock of the event loop.
        """
        return self.held > 0 and self.progressed_at <= since

    def close(self) -> None:
        """Subtracts all bytes of the connection from the totals, because the connection has ended."""
        size = self.held + self._reserved
        self.held = self._reserved = 0
        self.closed = True
        self._server.accounts.discard(self)
        self._server.give_back(size)

    def drop(self) -> None:
        """Closes the connection at once, and subtracts all its bytes from the totals."""
        self.close()
        self._abort()

    async def turn(self) -> None:
        """Waits until the connection has few enough unread bytes to start another request."""
        if not self.fits(0):
            await self._server.wait(self, 0, None)

    @asynccontextmanager
    async def room(self, size: int) -> AsyncIterator[None]:
        """Reserves memory for a response of `size` bytes during the block.

        Implements ROOM, an entry in the ASGI scope.

        Raises NoRoom if the memory is not free within ROOM_SECONDS.
        """
        if not self.fits(size) or self._server.is_full or not self._server.fits(size):
            await self._server.wait(self, size, ROOM_SECONDS)
        else:
            self.reserve(size)
        try:
            yield
        finally:
            self.release(size)
