"""Connects to a PostgreSQL server, and connects again after the connection was lost."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import asyncpg

from fakeapi_storage.errors import Closed, OutcomeUnknown, StorageFailed, StorageFull, Unreachable

CONNECT_SECONDS = 5.0
"""Maximum seconds to wait for a connection to the server. After that, `fetch` raises `Unreachable`."""

ANSWER_SECONDS = 15.0
"""Seconds to wait for the response to a statement. After that, `Link.fetch` closes the connection and raises
`OutcomeUnknown`.
"""

SETTINGS = {
    "synchronous_commit": "on",  # acknowledged writes survive a crash of the database server
    "default_transaction_isolation": "read committed",
    "enable_seqscan": "off",  # a plan made for an empty log must also serve a long log
    "jit": "off",
    "statement_timeout": str(int(ANSWER_SECONDS * 1000)),
}
"""PostgreSQL settings of every session.

statement_timeout stops statements for whose response the client no longer waits.
"""

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"
Record: TypeAlias = "asyncpg.Record"
LOST = (
    OSError,
    EOFError,
    TimeoutError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # asyncpg raises this when the server announces the end of a session
    asyncpg.PostgresConnectionError,
)


async def connect(url: str, name: str) -> Connection:
    """Returns a new connection whose session has this name in pg_stat_activity.

    Raises exceptions of asyncpg, OSError or TimeoutError if the connection fails.
    """
    settings = {**SETTINGS, "application_name": name}
    return await asyncpg.connect(url, timeout=CONNECT_SECONDS, server_settings=settings)


class Link:
    """Sends statements to a PostgreSQL server, one at a time.

    Connects before the first statement, and again after the connection was lost.
    """

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._name = name
        self.prepare: Callable[[Connection], Awaitable[None]] | None = None
        """A function to call with each new connection before its first statement; None for no function."""
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()
        self._is_closed = False

    async def fetch(self, statement: str, *arguments: object) -> Sequence[Record]:
        """Runs a statement in its own transaction; returns its rows.

        Raises one of these exceptions:

        - `Unreachable` if the statement was not sent
        - `OutcomeUnknown` if the connection was lost
        - `StorageFailed` if the server rejected the statement
        - `Closed` after `close`
        - exceptions of `prepare`, such as `DatabaseRefused`
        """
        async with self._turn:
            connection = await self._connected()
            task = asyncio.ensure_future(connection.fetch(statement, *arguments))
            try:
                return await self._answer(connection, task)
            except asyncpg.DiskFullError as error:
                raise StorageFull(str(error)) from error
            except (*LOST, asyncpg.AdminShutdownError, asyncpg.CrashShutdownError) as error:
                self._drop()
                raise OutcomeUnknown(words_of(error)) from error
            except asyncpg.PostgresError as error:
                raise StorageFailed(words_of(error)) from error
            except asyncio.CancelledError:
                self._drop()
                raise

    async def close(self) -> None:
        """Closes the connection; later statements raise `Closed`."""
        async with self._turn:
            self._is_closed = True
            connection, self._connection = self._connection, None
            if connection is not None:
                with suppress(*LOST, asyncpg.PostgresError):
                    await connection.close(timeout=CONNECT_SECONDS)

    async def _answer(self, connection: Connection, task: "asyncio.Future[Any]") -> Sequence[Record]:
        try:
            done, _ = await asyncio.wait([task], timeout=ANSWER_SECONDS)
            if not done:
                raise TimeoutError(f"no answer within {ANSWER_SECONDS:.0f} s")
            answer: Sequence[Record] = task.result()
            return answer
        finally:
            if not task.done():
                connection.terminate()
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    async def _connected(self) -> Connection:
        if self._is_closed:
            raise Closed
        if self._connection is not None and not self._connection.is_closed():
            return self._connection
        connection = None
        try:
            connection = await connect(self._url, self._name)
            if self.prepare is not None:
                async with asyncio.timeout(CONNECT_SECONDS):
                    await self.prepare(connection)
        except BaseException as error:
            if connection is not None:
                connection.terminate()
            if isinstance(error, (*LOST, asyncpg.PostgresError)):
                raise Unreachable(words_of(error)) from error
            raise
        self._connection = connection
        return connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None


def words_of(error: BaseException) -> str:
    """Returns the message of an error in one line; the name of the error's type for an empty message."""
    return " ".join(str(error).split()) or type(error).__name__
