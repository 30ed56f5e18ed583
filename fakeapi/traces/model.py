"""What a trace is made of: a header, then exchanges, whatever the file that they come from.

Every time is in seconds. Offsets count from the header's `started`, those of watch events too. Header names
are in lower case. Bodies are bytes as they went over the wire, without their Content-Encoding.
"""

from dataclasses import dataclass

Headers = tuple[tuple[str, str], ...]
"""Names in lower case with their values, in the order of the message; a name may come more than once."""

SOURCES = ("fakeapi", "proxy", "audit", "har")
ENDINGS = ("", "client", "server", "cut", "open")


@dataclass(frozen=True, slots=True)
class Header:
    """What holds for the whole trace.

    `server`: what answered, as far as the source tells ("kubernetes v1.31.14", "fakeapi 0.1.0"), or "".
    `release`: "1.31", or "" where unknown. `started`: epoch seconds that the offsets count from.
    `source`: one of SOURCES. `redacted`: what was taken out: "credentials", and field paths.
    """

    version: int
    server: str
    release: str
    started: float
    source: str
    note: str = ""
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """`target` is path and query as they were sent."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Response:
    """The body of a watch is empty: its lines are the exchange's events."""

    status: int
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One line of a watch without its newline, at the offset (from the trace's start) at which it came.

    In a protobuf watch, one frame without its length.
    """

    offset: float
    line: bytes


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its answer.

    `id` is unique in the trace. `actor` names who asked: requests of one actor are a lane of their own.
    `response` is None where none came or none is known. `duration`: until the response's last byte.
    `events`: None for anything but a watch. `ended`: "" for anything but a watch, else who ended it:
    "client", "server" (its time was over), "cut" (no proper end), or "open" (the recording ended first).
    `missing`: what the source could not tell ("response body", "watch events", …). `inferred`: what was
    concluded instead ("patch type: apply (…)"). `place`: "file:line" of its origin, for messages.
    """

    id: int
    offset: float
    actor: str
    request: Request
    response: Response | None
    duration: float = 0.0
    events: tuple[StreamEvent, ...] | None = None
    ended: str = ""
    missing: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    place: str = ""


class TraceError(Exception):
    """A trace that cannot be read, or written; `str()` is one line: `file:line: field: message`.

    `line` is 0 where no line is to blame, `field` is "" where no field is.
    """

    def __init__(self, path: str, line: int, field: str, message: str) -> None:
        where = f"{path}:{line}" if line else path
        super().__init__(f"{where}: {field}: {message}" if field else f"{where}: {message}")
        self.path = path
        self.line = line
        self.field = field
        self.message = message
