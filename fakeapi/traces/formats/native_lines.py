"""Encodes and decodes lines of the native trace format, which `docs/traces.md` and `schema.json` describe."""

import base64
import binascii
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from fakeapi.clients.messages import Response
from fakeapi.traces.model import Ending, Exchange, Header, Inferred, Missing, Request, StreamEvent, TraceError

VERSION: Literal[1] = 1
KIND: Literal["fakeapi.trace"] = "fakeapi.trace"

_CONTROLS = tuple(bytes((code,)) for code in range(32) if code not in b"\t\n\r\b\f")
"""The control characters that JSON must write as six characters, such as `\\u0000`."""

_LAST_SECOND = 253_402_300_799.0

LINE_MAX = 64 << 20
"""Maximum size of a line in bytes, which limits the memory for reading. A longer line raises TraceError."""

Seconds = Annotated[float, Meta(ge=0)]
Identity = Annotated[int, Meta(ge=0, le=(1 << 53) - 1)]
WatchEnding = Literal["client", "server", "cut", "open"]
_Pairs = Annotated[
    tuple[tuple[str, str], ...], Meta(description="[name in lower case, value], in the message's order")
]
_Body = Annotated[Raw | UnsetType, Meta(description="the body, where it is JSON in one line: byte for byte")]
_Newline = Annotated[bool, Meta(description="a newline followed the JSON of `body`")]
_Text = Annotated[str | UnsetType, Meta(description="the body, where it is UTF-8 text of another kind")]
_Base64 = Annotated[str | UnsetType, Meta(description="the body, where it is neither JSON nor text")]
_Notes = tuple[str, ...]


class _Line(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """Base class of the lines. At most one of `body`, `text` and `base64` is set; none for an empty body."""


class HeaderLine(_Line, omit_defaults=False, rename={"header": "kind"}):
    """The first line of a trace."""

    header: Annotated[Literal["fakeapi.trace"], Meta(description="identifies the format")]
    version: Annotated[Literal[1], Meta(description="version of the format; others cannot be read")]
    server: Annotated[str, Meta(description="server that answered, or empty where unknown")]
    release: Annotated[str, Meta(description="Kubernetes release such as 1.31, or empty where unknown")]
    started: Annotated[str, Meta(description="RFC 3339 time that every offset counts from")]
    source: Annotated[Literal["fakeapi", "proxy", "audit", "har"], Meta(description="kind of the recording")]
    note: str = ""
    redacted: Annotated[_Notes, Meta(description="what was removed: `credentials`, or field paths")] = ()


class RequestLine(_Line):
    method: Annotated[str, Meta(min_length=1)]
    target: Annotated[str, Meta(min_length=1, description="path and query as sent")]
    headers: _Pairs = ()
    body: _Body = UNSET
    newline: _Newline = False
    text: _Text = UNSET
    base64: _Base64 = UNSET


class EventLine(_Line):
    """A line of a watch without its newline, or a frame of a protobuf watch without its length."""

    offset: Seconds
    body: _Body = UNSET
    newline: _Newline = False
    text: _Text = UNSET
    base64: _Base64 = UNSET


class ResponseLine(_Line):
    """The response of an exchange. A watch has `events` and `ended`, and no body."""

    status: Annotated[int, Meta(ge=100, le=999)]
    headers: _Pairs = ()
    body: _Body = UNSET
    newline: _Newline = False
    text: _Text = UNSET
    base64: _Base64 = UNSET
    events: Annotated[
        tuple[EventLine, ...] | UnsetType, Meta(description="in the order in which they came")
    ] = UNSET
    ended: Annotated[WatchEnding | UnsetType, Meta(description="who ended the watch")] = UNSET


class ExchangeLine(_Line):
    """A line with one exchange. These lines follow the header line, in the order of `offset`."""

    id: Annotated[Identity, Meta(description="unique in the trace")]
    offset: Annotated[Seconds, Meta(description="when the request came, in seconds since `started`")]
    actor: Annotated[str, Meta(description="name of the client")]
    duration: Annotated[Seconds, Meta(description="seconds until the response's last byte")]
    request: RequestLine
    response: Annotated[ResponseLine | None, Meta(description="null where none came, or none is known")]
    missing: Annotated[_Notes, Meta(description="parts that the source lacks")] = ()
    inferred: Annotated[_Notes, Meta(description="facts that the source does not state")] = ()


Message = RequestLine | ResponseLine | EventLine

encode = msgspec.json.Encoder().encode
decode_header = msgspec.json.Decoder(HeaderLine).decode
decode_exchange = msgspec.json.Decoder(ExchangeLine).decode
_decode_raw = msgspec.json.Decoder(Raw).decode

MALFORMED = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""The exceptions that the decoders raise for malformed lines.

`msgspec.ValidationError` is one of them, because it is a DecodeError.
"""


def explain(path: str, line: int, error: Exception) -> TraceError:
    """Converts an exception of a decoder to a TraceError, with the invalid field if it is known."""
    text = str(error)
    if isinstance(error, RecursionError):
        return TraceError(path, line, "", "is nested too deeply")
    if isinstance(error, msgspec.ValidationError):
        message, _, where = text.partition(" - at `")
        field = where.rstrip("`").removeprefix("$").removeprefix(".")
        return TraceError(path, line, "" if where.startswith("key") else field, message)
    if "truncated" in text:
        return TraceError(path, line, "", "ends in the middle of its JSON: the file was cut short")
    return TraceError(path, line, "", text)


def content(data: bytes) -> dict[str, Any]:
    """Returns the fields that store a body in a line. `payload` restores the body from these fields.

    The fields are `body` and `newline` for JSON on one line, `text` for other text, and `base64` for other
    bytes and for text with many control characters. An empty body has no fields.
    """
    if not data:
        return {}
    inline = data[:-1] if data[-1] == 10 else data
    if b"\n" not in inline and b"\r" not in inline and _is_json(inline):
        return {"body": Raw(inline), "newline": len(inline) != len(data)}
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}
    if sum(map(data.count, _CONTROLS)) * 6 > len(data):  # JSON escapes take six characters
        return {"base64": base64.b64encode(data).decode("ascii")}
    return {"text": text}


def _is_json(data: bytes) -> bool:
    try:
        if not data.isascii():
            data.decode()
        # A Raw loses surrounding white space, but a trace must keep every byte.
        return bytes(_decode_raw(data)) == data
    except MALFORMED:
        return False


def payload(message: Message) -> bytes:
    """Returns the body of a message.

    If the fields of the body are invalid, raises ValueError with two arguments: the field and the reason.
    """
    body, text, encoded = message.body, message.text, message.base64
    if body is not UNSET:
        if text is not UNSET or encoded is not UNSET:
            raise ValueError("body", "only one of body, text and base64 may be set")
        data = bytes(body)
        return data + b"\n" if message.newline else data
    if text is not UNSET:
        if encoded is not UNSET:
            raise ValueError("text", "only one of body, text and base64 may be set")
        return text.encode()
    if encoded is UNSET:
        return b""
    try:
        return base64.b64decode(encoded, validate=True)
    except binascii.Error as error:
        raise ValueError("base64", str(error)) from error


def header_line(header: Header) -> bytes:
    return encode(
        HeaderLine(
            KIND,
            VERSION,
            header.server,
            header.release,
            timestamp(header.started),
            header.source,  # type: ignore[arg-type]  # only values of the schema occur
            header.note,
            header.redacted,
        )
    )


def exchange_line(exchange: Exchange) -> bytes:
    """Returns the line of an exchange, without its newline."""
    request, response = exchange.request, exchange.response
    answer: ResponseLine | None = None
    if response is not None:
        answer = ResponseLine(response.status, response.headers, **content(response.body))
        if exchange.events is not None:
            answer.events = tuple(
                EventLine(round(event.offset, 6), **content(event.line)) for event in exchange.events
            )
            answer.ended = exchange.ended  # type: ignore[assignment]  # a watch never has ""
    return encode(
        ExchangeLine(
            exchange.id,
            round(exchange.offset, 6),
            exchange.actor,
            round(exchange.duration, 6),
            RequestLine(request.method, request.target, request.headers, **content(request.body)),
            answer,
            tuple(map(str, exchange.missing)),
            tuple(map(str, exchange.inferred)),
        )
    )


def header_of(line: HeaderLine) -> Header:
    """Converts a decoded header line to a Header.

    If the start time is invalid, raises ValueError with two arguments: the field and the reason.
    """
    try:
        started = seconds_of(line.started)
    except ValueError as error:
        raise ValueError("started", str(error)) from error
    return Header(line.version, line.server, line.release, started, line.source, line.note, line.redacted)


def exchange_of(line: ExchangeLine, place: str, since: float = 0.0) -> Exchange:
    """Converts a decoded line to an Exchange.

    - `place`: the "file:line" of the exchange.
    - `since`: the number of seconds to subtract from every offset.

    If the line is invalid, raises ValueError with two arguments: the field and the reason.
    """
    asked, answer = line.request, line.response
    events: tuple[StreamEvent, ...] | None = None
    ended: Ending = ""
    response: Response | None = None
    request = Request(asked.method, asked.target, asked.headers, _held("request", asked))
    if answer is not None:
        response = Response(answer.status, answer.headers, _held("response", answer))
        if answer.events is not UNSET:
            if answer.ended is UNSET:
                raise ValueError("response.ended", "is required for a watch")
            if response.body:
                raise ValueError("response.body", "must not be set for a watch, which has events")
            ended = answer.ended
            events = tuple(
                StreamEvent(_after(each.offset, since), _held(f"response.events[{index}]", each))
                for index, each in enumerate(answer.events)
            )
        elif answer.ended is not UNSET:
            raise ValueError(
                "response.ended", "must be set for a watch only, which also has events, if only []"
            )
    return Exchange(
        line.id,
        _after(line.offset, since),
        line.actor,
        request,
        response,
        line.duration,
        events,
        ended,
        tuple(map(Missing.parse, line.missing)),
        tuple(map(Inferred.parse, line.inferred)),
        place,
    )


def _after(offset: float, since: float) -> float:
    return round(offset - since, 6) if since else offset


def _held(field: str, message: Message) -> bytes:
    try:
        return payload(message)
    except ValueError as error:
        inner, reason = error.args
        raise ValueError(f"{field}.{inner}", reason) from error


def seconds_of(text: str) -> float:
    """Converts an RFC 3339 time to seconds since the Unix epoch.

    Raises ValueError for an invalid time, a time without a time zone, and a time before 1970.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"is not an RFC 3339 time: {text!r}") from error
    if time.tzinfo is None:
        raise ValueError(f"is a time without a time zone: {text!r}")
    seconds = time.timestamp()
    if seconds < 0:
        raise ValueError(f"is a time before 1970: {text!r}")
    return seconds


def timestamp(seconds: float) -> str:
    """Returns a time as RFC 3339 in UTC with microseconds.

    A time after the year 9999 becomes the end of 9999.
    """
    return datetime.fromtimestamp(min(seconds, _LAST_SECOND), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
