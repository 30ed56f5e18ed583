"""Builds recorded exchanges (request and response) and trace files for tests."""

from dataclasses import replace
from pathlib import Path

from fakeapi.clients.messages import Response
from fakeapi.traces.formats.native import TraceWriter
from fakeapi.traces.formats.open import open_trace
from fakeapi.traces.model import Exchange, Gap, Header, Inferred, Missing, Request, StreamEvent

HEADER = Header(1, "kubernetes v1.31.14", "1.31", 1_795_204_158.902336, "proxy", "a note", ("credentials",))

BODIES = (
    b"",
    b'{"a":1}',
    b'{"a": 1, "a": 1.0, "b": "\\u003c"}\n',
    b' {"a":1}',
    b'{\n  "a": 1\n}\n',
    b"null",
    b"\n",
    b"kind: ConfigMap\n",
    "é".encode(),
    b"k8s\x00\xff\xfe",
    b'{"not utf-8": "\xff"}',
    b'"\\ud800"',
    b"[" * 5_000 + b"]" * 5_000,
)


def plain(identity: int, body: bytes = b"", offset: float = 0.0) -> Exchange:
    """Returns a recorded POST whose response body equals its request body."""
    headers = (("content-type", "application/json"), ("x-twice", "1"), ("x-twice", "2"))
    request = Request("POST", "/api/v1/namespaces?fieldManager=%C3%A9", headers, body)
    return Exchange(identity, offset, "client", request, Response(201, headers, body), 0.25)


def watch(identity: int, *lines: bytes, offset: float = 1.0) -> Exchange:
    """Returns a recorded watch with these event lines. The client ended the watch."""
    events = tuple(StreamEvent(offset + index / 4, line) for index, line in enumerate(lines))
    request = Request("GET", "/api/v1/namespaces?watch=true")
    return Exchange(identity, offset, "watcher (me)", request, Response(200), 9.0, events, "client")


def unanswered(identity: int, offset: float = 2.0) -> Exchange:
    request = Request("GET", "/api/v1/namespaces")
    return Exchange(
        identity,
        offset,
        "client",
        request,
        None,
        missing=(Missing(Gap.RESPONSE),),
        inferred=(Inferred.parse("nothing"),),
    )


EXCHANGES = (
    *(plain(number, body, number / 8) for number, body in enumerate(BODIES)),
    watch(100, b'{"type":"ADDED"}', b"", b"\xff\n\x00", offset=50.0),
    watch(101, offset=51.0),
    unanswered(102, offset=52.0),
)


def written(path: Path, *exchanges: Exchange, header: Header = HEADER) -> Path:
    """Writes a trace file with these exchanges; returns its path."""
    with TraceWriter(path, header) as writer:
        for exchange in exchanges:
            writer.append(exchange)
    return path


def read(path: Path) -> list[Exchange]:
    """Returns the exchanges of a trace file, without their positions in the file."""
    with open_trace(path) as reader:
        return [replace(exchange, place="") for exchange in reader]


def gaps(exchange: Exchange) -> tuple[str, ...]:
    """Returns a text for each part that a recorded exchange lacks."""
    return tuple(map(str, exchange.missing))
