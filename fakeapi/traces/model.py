"""The parts of a trace, independent of the file format: a header and exchanges.

Every time is in seconds. All offsets, also of watch events, count from the header's `started`. Header names
are in lower case. Bodies are the bytes that were sent, without their Content-Encoding.
"""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Literal

from fakeapi.clients.messages import Headers, Response
from fakeapi.machinery.printable import printable

Ending = Literal["", "client", "server", "cut", "open"]
"""The end of a watch; "" for an exchange that is not a watch.

"client": the client left. "server": the server's timeout passed. "cut": the connection broke. "open": the
recording ended first.
"""


class Gap(Enum):
    """A kind of part that an exchange may lack. The values are the texts in files and reports."""

    HEADERS = "headers"
    REQUEST_BODY = "request body"
    UNREAD_REQUEST_BODY = "request body that the server did not read"
    OPTIONAL_REQUEST_BODY = "request body, if there was one"
    PATCH_TYPE = "patch type"
    RESPONSE = "response"
    RESPONSE_BODY = "response body"
    RESPONSE_END = "the response's end"
    MANAGED_FIELDS = "managedFields, if there were any"
    WATCH_EVENTS = "watch events"
    EVENT_TIMES = "times of watch events"
    TRUNCATED_BODIES = "bodies"
    OTHER = ""


_GAPS = {gap.value: gap for gap in Gap if gap.value}
_EARLIER_TEXTS = {"request body (the server did not read it)": Gap.UNREAD_REQUEST_BODY}
"""Texts for gaps that earlier versions of fakeapi wrote."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that an exchange lacks. `str()` is the text in files, which `parse` reads."""

    gap: Gap
    detail: str = ""

    def __str__(self) -> str:
        return _with_detail(self.gap.value, self.detail)

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> "Missing":
        """Returns the gap for a text, or OTHER for a text of another program."""
        gap = _GAPS.get(text) or _EARLIER_TEXTS.get(text)
        if gap is not None:
            return Missing(gap)
        name, separator, detail = text.partition(" (")
        if separator and name in _GAPS and detail.endswith(")"):
            return Missing(_GAPS[name], detail[:-1])
        if text.startswith("watch events after "):
            return Missing(Gap.WATCH_EVENTS, text.removeprefix("watch events "))
        return Missing(Gap.OTHER, text)


class Inference(Enum):
    """A kind of inferred fact. The values are the texts in files and reports."""

    PATCH_TYPE = "patch type"
    METHOD = "method"
    RESPONSE_BODY = "response body"
    REPRESENTATION = "representation"
    WATCH_END = "who ended the watch"
    OTHER = ""


_INFERENCES = {inference.value: inference for inference in Inference if inference.value}


@dataclass(frozen=True, slots=True)
class Inferred:
    """A fact of an exchange that was inferred. `str()` is the text in files, which `parse` reads."""

    about: Inference
    conclusion: str

    def __str__(self) -> str:
        return f"{self.about.value}: {self.conclusion}" if self.about.value else self.conclusion

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> "Inferred":
        """Returns the inferred fact for a text, or OTHER for a text of another program."""
        name, separator, conclusion = text.partition(": ")
        if separator and name in _INFERENCES:
            return Inferred(_INFERENCES[name], conclusion)
        return Inferred(Inference.OTHER, text)


@dataclass(frozen=True, slots=True)
class Header:
    """The facts about a whole trace.

    - `server`: the server that answered ("kubernetes v1.31.14", "fakeapi 0.1.0"), or "" if unknown
    - `release`: such as "1.31", or "" if unknown
    - `started`: epoch seconds from which the offsets count
    - `source`: "fakeapi", "proxy", "audit" or "har"
    - `redacted`: the removed parts: "credentials", and field paths
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
    """A request. `target` is path and query as the client sent them."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """A line of a watch without its newline, and the offset at which it was sent.

    In a protobuf watch, `line` is a frame without its length.
    """

    offset: float
    line: bytes


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its response.

    - `id`: unique in the trace
    - `actor`: names the client; requests with the same actor came from one program
    - `response`: None if it is missing or unknown
    - `duration`: seconds until the response's last byte
    - `events`: None for an exchange that is not a watch
    - `place`: "file:line" of the exchange, for messages
    """

    id: int
    offset: float
    actor: str
    request: Request
    response: Response | None
    duration: float = 0.0
    events: tuple[StreamEvent, ...] | None = None
    ended: Ending = ""
    missing: tuple[Missing, ...] = ()
    inferred: tuple[Inferred, ...] = ()
    place: str = ""

    def lacks(self, *gaps: Gap) -> bool:
        """Whether the exchange has one of these gaps."""
        return any(each.gap in gaps for each in self.missing)

    def infers(self, about: Inference) -> bool:
        """Whether this fact of the exchange was inferred."""
        return any(each.about is about for each in self.inferred)


class TraceError(Exception):
    """A trace cannot be read or written; `str()` is one line: `file:line: field: message`.

    `line` is 0 and `field` is "" if the problem is not in a certain line or field.
    """

    def __init__(self, path: str, line: int, field: str, message: str) -> None:
        where = f"{path}:{line}" if line else path
        super().__init__(printable(f"{where}: {field}: {message}" if field else f"{where}: {message}"))
        self.path = path
        self.line = line
        self.field = field
        self.message = message


def _with_detail(text: str, detail: str) -> str:
    if not text or not detail:
        return text or detail
    return f"{text} ({detail})"
