"""HTTP/2 connections that send random frames and read little do not disturb other clients.

Each hostile connection requests long lists, documents and watches. Its flow control windows may stay closed,
and it sends invalid frames in between. The server's memory is limited. Two well-behaved clients work at the
same time: one reads whole lists over HTTP/2, one requests /healthz over HTTP/1.1.
"""

import asyncio
import contextlib
import json
import signal
import socket
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

import hpack

from benchmarks.load import Connection, request
from tests.serving.h2client import Client
from tests.torture.budget import Budget, Finding, patience
from tests.torture.servers import Server, serving

OBJECTS, OBJECT_BYTES = 80, 100_000
CONNECTIONS = 6
FRAMES_MAX = 120
"""Maximum number of frames that a hostile connection sends; most of them are requests."""

ROUND_SECONDS = 15.0
ANSWER_SECONDS = 10.0
"""Maximum seconds until a well-behaved client gets a response. The server needs only milliseconds."""

MEGABYTES_MAX = 900
"""Maximum resident memory of the server in MB.

Unsent responses may use twice `fakeapi.serving.response_bytes.SERVER_BYTES_MAX`; the rest is for the objects
and the server itself. All responses of a round together have several gigabytes.
"""

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
ASKED = [
    (CONFIG_MAPS, "application/json"),
    (CONFIG_MAPS, "application/json"),
    (CONFIG_MAPS, "application/vnd.kubernetes.protobuf"),
    (CONFIG_MAPS, "application/yaml"),
    (CONFIG_MAPS, TABLE),
    (f"{CONFIG_MAPS}/c1", "application/json"),
    (f"{CONFIG_MAPS}?watch=1&timeoutSeconds=5", "application/json"),
    ("/openapi/v2", "application/json"),
    ("/_fakeapi/requests", "application/json"),
    ("/healthz", "*/*"),
]
WINDOWS = [0, 0, 1, 100, 65_535, 2**31 - 1]
DATA, HEADERS, PRIORITY, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = (
    0,
    1,
    2,
    3,
    4,
    6,
    7,
    8,
    9,
)
END_STREAM, END_HEADERS = 1, 4


def run(budget: Budget) -> dict[str, float]:
    figures: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place, serving(Path(place)) as server:
        asyncio.run(fill(server.port))
        for _ in budget.rounds():
            seconds = min(ROUND_SECONDS, max(1.0, budget.left))
            figures.update(asyncio.run(one_round(server, budget.random, seconds)))
            figures["rounds"] += 1
        peak = check_memory(server)
        server.end(signal.SIGTERM)
        server.check_log()
    return {**figures, "MB at most": peak}


async def fill(port: int) -> None:
    connection = await Connection.open(port)
    for number in range(OBJECTS):
        body = {"metadata": {"name": f"c{number}"}, "data": {"a": "x" * OBJECT_BYTES}}
        await connection.send(request("POST", CONFIG_MAPS, json.dumps(body).encode()))
    connection.close()


async def one_round(server: Server, chance: Random, seconds: float) -> "Counter[str]":
    figures: Counter[str] = Counter()
    end = time.monotonic() + seconds
    work = [hostile(server.port, Random(chance.random()), end, figures) for _ in range(CONNECTIONS)]
    await asyncio.gather(*work, others(server, end, figures))
    return figures


async def others(server: Server, end: float, figures: "Counter[str]") -> None:
    """Sends requests of well-behaved clients until `end`, a time of `time.monotonic()`.

    `figures`: counts the responses. Raises Finding if a response is late or incomplete, or if the server uses
    too much memory.
    """
    while time.monotonic() < end:
        try:
            async with asyncio.timeout(patience(ANSWER_SECONDS)):
                connection = await Connection.open(server.port)
                answer = await connection.send(request("GET", "/healthz"))
                connection.close()
        except TimeoutError:
            raise Finding("another client was not answered in time") from None
        if answer.body != b"ok":
            raise Finding(f"/healthz was answered {answer}")
        await asyncio.to_thread(read_list, server.port)
        check_memory(server)
        figures["answers to others"] += 2


def read_list(port: int) -> None:
    """Reads the list of ConfigMaps over HTTP/2, as a client that keeps its flow control window open.

    Raises Finding if the response is late or incomplete.
    """
    address = ("127.0.0.1", port)
    with Client(socket.create_connection(address, patience(ANSWER_SECONDS)), authority="localhost") as client:
        try:
            status, body = client.answer(client.request(CONFIG_MAPS))
        except TimeoutError:
            raise Finding("the list was not answered in time") from None
    if status != "200" or len(json.loads(body)["items"]) < OBJECTS:
        raise Finding(f"the list was answered {status} with {len(body)} bytes")


def check_memory(server: Server) -> int:
    """Returns the server's peak resident memory in MB.

    Raises Finding if it is over MEGABYTES_MAX.
    """
    peak = server.status("VmHWM") // 1024
    if peak > MEGABYTES_MAX:
        raise Finding(f"the server took {peak} MB")
    return peak


async def hostile(port: int, chance: Random, end: float, figures: "Counter[str]") -> None:
    """Opens hostile HTTP/2 connections one after the other until `end`, a time of `time.monotonic()`.

    `figures`: counts the connections and frames.
    """
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await misbehave(reader, writer, chance, figures)
            finally:
                writer.transport.abort()
        figures["hostile connections"] += 1


async def misbehave(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, chance: Random, figures: "Counter[str]"
) -> None:
    frames = Frames(chance)
    writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frames.window_setting())
    for _ in range(chance.randrange(FRAMES_MAX)):
        writer.write(frames.next())
        figures["frames"] += 1
        if chance.random() < 0.1:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.read(chance.choice([1, 10_000, 1_000_000])), 0.01)
    await asyncio.wait_for(writer.drain(), patience(ANSWER_SECONDS))
    await asyncio.sleep(chance.choice([0, 0.05, 0.3]))


class Frames:
    """Generates random HTTP/2 frames for a connection. Most frames are valid requests."""

    def __init__(self, chance: Random) -> None:
        self._random = chance
        self._encoder = hpack.Encoder()
        self._stream = -1

    def next(self) -> bytes:
        kinds = [self._request, self._window_update, self._reset, self.window_setting, self._junk]
        [make] = self._random.choices(kinds, [60, 20, 10, 5, 1])
        return make()

    def window_setting(self) -> bytes:
        """Returns a SETTINGS frame with a random INITIAL_WINDOW_SIZE."""
        return frame(SETTINGS, 0, 0, b"\0\4" + self._random.choice(WINDOWS).to_bytes(4, "big"))

    def _request(self) -> bytes:
        self._stream += 2
        path, accept = self._random.choice(ASKED)
        head = [(":method", "GET"), (":path", path), (":scheme", "http"), (":authority", "localhost")]
        head += [("accept", accept)]
        if self._random.random() < 0.3:
            head += [("accept-encoding", "gzip")]
        return frame(HEADERS, END_STREAM | END_HEADERS, self._stream, self._encoder.encode(head))

    def _window_update(self) -> bytes:
        count = self._random.choice([1, 10, 10_000, 1 << 20])
        return frame(
            WINDOW_UPDATE, 0, self._any_stream() if self._random.random() < 0.7 else 0, number(count)
        )

    def _reset(self) -> bytes:
        return frame(RESET, 0, self._any_stream(), number(8))

    def _junk(self) -> bytes:
        """Returns an invalid or misplaced HTTP/2 frame.

        After most of these, the server must close the connection.
        """
        kind = self._random.choice([DATA, PRIORITY, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION, 77])
        payload = self._random.randbytes(self._random.choice([0, 4, 5, 8, 100]))
        return frame(kind, self._random.randrange(256), self._random.choice([0, self._any_stream()]), payload)

    def _any_stream(self) -> int:
        return self._random.randrange(1, max(2, self._stream + 1)) | 1


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + number(stream) + payload


def number(value: int) -> bytes:
    return value.to_bytes(4, "big")
