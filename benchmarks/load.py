"""A small, fast HTTP/1.1 client. It uses little CPU time, so that measurements show the server's time.

The client reads only responses with Content-Length, chunked responses, and watch streams.
"""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a server to measure, and the bearer token for requests to it."""

    port: int
    host: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    token: str = ""


@dataclass(slots=True)
class Answer:
    status: int
    body: bytes


class Connection:
    """A keep-alive HTTP connection for one request at a time."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str = "") -> None:
        self._reader = reader
        self._writer = writer
        self._own = f"\r\nAuthorization: Bearer {token}\r\n".encode() if token else b""

    @classmethod
    async def open(cls, server: "int | Server") -> "Connection":
        where = Server(server) if isinstance(server, int) else server
        streams = await asyncio.open_connection(where.host, where.port, limit=1 << 24, ssl=where.tls)
        return cls(*streams, where.token)

    async def send(self, request: bytes) -> Answer:
        self._write(request)
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        if b"content-length:" not in head:
            return Answer(int(head[9:12]), await self._chunks())
        size = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        return Answer(int(head[9:12]), await self._reader.readexactly(size))

    def _write(self, request: bytes) -> None:
        self._writer.write(request.replace(b"\r\n", self._own, 1) if self._own else request)

    async def _chunks(self) -> bytes:
        """Reads all chunks of a chunked body and returns the body."""
        chunks = []
        while size := int(await self._reader.readline(), 16):
            chunks.append((await self._reader.readexactly(size + 2))[:-2])
        await self._reader.readline()
        return b"".join(chunks)

    async def lines(self, request: bytes) -> AsyncIterator[bytes]:
        """Sends a watch request and yields the chunks of its stream.

        First yields an empty chunk, which means that the server has opened the stream.
        """
        self._write(request)
        await self._reader.readuntil(b"\r\n\r\n")
        yield b""
        while size := int(await self._reader.readline(), 16):
            yield (await self._reader.readexactly(size + 2))[:-2]

    def close(self) -> None:
        self._writer.close()


def request(
    method: str,
    target: str,
    body: bytes = b"",
    content_type: str = "application/json",
    accept: str = "application/json",
) -> bytes:
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", f"Accept: {accept}", "User-Agent: bench/1"]
    if body:
        lines += [f"Content-Type: {content_type}", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


@dataclass(slots=True)
class Timing:
    """The times of several requests in seconds: `each` request, and `total` for all requests together.

    - `bad`: the number of responses whose status is not a success.
    - `refusal`: a description of the first response whose status is not a success.
    """

    each: list[float] = field(default_factory=list)
    total: float = 0.0
    bad: int = 0
    refusal: str = ""

    def percentile(self, share: float) -> float:
        ranked = sorted(self.each)
        return ranked[min(len(ranked) - 1, int(share * len(ranked)))]

    @property
    def rate(self) -> float:
        return len(self.each) / self.total


async def drive(
    server: int | Server, make: Callable[[int], bytes], count: int, connections: int, *, after: int = 0
) -> Timing:
    """Sends `count` requests over `connections` connections; returns the response times.

    - `make`: builds the request with a given number.
    - `after`: if not 0, each request waits for the response to the request whose number is lower by `after`,
      so that no connection falls far behind the others.

    A connection sends one request at a time.
    """
    timing = Timing()
    numbers = iter(range(count))
    answered = [asyncio.Event() for _ in range(count if after else 0)]
    opened = [await Connection.open(server) for _ in range(connections)]

    async def work(connection: Connection) -> None:
        for number in numbers:
            if after and number >= after:
                await answered[number - after].wait()
            data = make(number)
            start = time.perf_counter()
            answer = await connection.send(data)
            timing.each.append(time.perf_counter() - start)
            if after:
                answered[number].set()
            if answer.status >= 300:
                timing.bad += 1
                timing.refusal = timing.refusal or f"{answer.status} {answer.body[:500]!r} to {data[:100]!r}"

    start = time.perf_counter()
    await asyncio.gather(*(work(connection) for connection in opened))
    timing.total = time.perf_counter() - start
    for connection in opened:
        connection.close()
    return timing


async def checked(server: int | Server, make: Callable[[int], bytes], count: int, connections: int) -> Timing:
    """Sends requests as `drive` does and returns the response times.

    Raises AssertionError if a response is not a success.
    """
    timing = await drive(server, make, count, connections)
    assert not timing.bad, f"{timing.bad} answers were not successes: {timing.refusal}"
    return timing


async def ask(server: int | Server, data: bytes) -> Answer:
    """Sends one request on a new connection and returns the response."""
    connection = await Connection.open(server)
    answer = await connection.send(data)
    connection.close()
    return answer


def processor_seconds(pid: int) -> float:
    """Returns the CPU seconds that all live threads of a process have used.

    Reads /proc/PID/task/*/schedstat, which counts nanoseconds; /proc/PID/stat counts in steps of 10 ms.
    """
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(each.read_text().split()[0]) for each in threads) / 1e9
