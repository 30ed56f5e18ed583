"""The data model of a trace in any file format: a header, and exchanges of requests and responses.

All times are in seconds. Offsets, also of watch events, count from `Header.started`. Names of HTTP headers
are in lower case. Bodies are decoded from their Content-Encoding.
"""

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Literal

from fakeapi.clients.messages import Headers, Response
from fakeapi.machinery.base_error import FakeAPIError
from fakeapi.machinery.printable import printable

Ending = Literal["", "client", "server", "cut", "open"]
"""The reason why a recorded watch ended.

- "": the exchange is not a watch.
- "client": the client disconnected.
- "server": the server ended the watch, usually after its timeout.
- "cut": the connection broke.
- "open": the recording ended before the watch.
"""


class Gap(Enum):
    """A part that a recorded exchange can lack. The values are the texts in files and reports."""

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
"""Maps texts that earlier versions of fakeapi wrote into trace files to the Gap that each text means."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A part that a recorded exchange lacks. `str()` returns the text in files, which `parse` reads.

    `detail`: the reason or another detail, such as "too long"; can be empty.
    """

    gap: Gap
    detail: str = ""

    def __str__(self) -> str:
        return _with_detail(self.gap.value, self.detail)

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> "Missing":
        """Parses the text of a missing part in a file. An unknown text gives Gap.OTHER."""
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
    """A kind of fact that a reader of audit logs infers. The values are the texts in files and reports."""

    PATCH_TYPE = "patch type"
    METHOD = "method"
    RESPONSE_BODY = "response body"
    REPRESENTATION = "representation"
    WATCH_END = "who ended the watch"
    OTHER = ""


_INFERENCES = {inference.value: inference for inference in Inference if inference.value}


@dataclass(frozen=True, slots=True)
class Inferred:
    """An inferred fact of an exchange. `str()` returns the text in files, which `parse` reads.

    - `about`: the kind of fact.
    - `conclusion`: the inferred fact as text; for Inference.OTHER the whole text.
    """

    about: Inference
    conclusion: str

    def __str__(self) -> str:
        return f"{self.about.value}: {self.conclusion}" if self.about.value else self.conclusion

    @staticmethod
    @lru_cache(maxsize=256)
    def parse(text: str) -> "Inferred":
        """Parses the text of an inferred fact in a file. An unknown text gives Inference.OTHER."""
        name, separator, conclusion = text.partition(": ")
        if separator and name in _INFERENCES:
            return Inferred(_INFERENCES[name], conclusion)
        return Inferred(Inference.OTHER, text)


@dataclass(frozen=True, slots=True)
class Header:
    """The properties of a whole trace.

    - `version`: the version of the trace format.
    - `server`: the recorded server, such as "kubernetes v1.31.14" or "fakeapi 0.1.0"; "" if unknown.
    - `release`: the Kubernetes release, such as "1.31"; "" if unknown.
    - `started`: the time from which offsets count, in seconds since the Unix epoch.
    - `source`: "fakeapi", "proxy", "audit" or "har".
    - `note`: a free text about the trace.
    - `redacted`: the parts that were removed from the trace: "credentials", and field paths.
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
    """A recorded request. `target`: the path and query as the client sent them."""

    method: str
    target: str
    headers: Headers = ()
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """An event of a recorded watch.

    - `offset`: when the server sent the event, in seconds from the start of the trace.
    - `line`: a line of JSON without its newline, or a protobuf frame without its length.
    """

    offset: float
    line: bytes


@dataclass(frozen=True, slots=True)
class Exchange:
    """A recorded request with its response.

    - `id`: a number that is unique in the trace.
    - `offset`: when the request arrived, in seconds from the start of the trace.
    - `actor`: the name of the client program.
    - `response`: None if the trace lacks the response.
    - `duration`: the seconds until the last byte of the response.
    - `events`: the events of a watch; None for other requests.
    - `ended`: the reason why a watch ended; "" for other requests.
    - `missing` and `inferred`: the parts that the recording lacks, and the inferred facts.
    - `place`: the "file:line" of the exchange, for messages.
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
        """Whether the exchange lacks at least one of these parts."""
        return any(missing.gap in gaps for missing in self.missing)

    def infers(self, about: Inference) -> bool:
        """Whether a fact of this kind was inferred for the exchange."""
        return any(inference.about is about for inference in self.inferred)


class TraceError(FakeAPIError):
    """Raised if a trace cannot be read or written. `str()` returns one line: `file:line: field: message`.

    `line` is 0 and `field` is "" if the error concerns the whole file.
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
