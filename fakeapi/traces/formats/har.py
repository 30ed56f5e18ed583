"""Reads and writes traces as HAR 1.2.

HAR allows extra fields whose names begin with an underscore. `log._trace` is the header of the trace. The
field `_exchange` of an entry has its id, actor, exact times, and the times and lengths of watch events. With
these fields, a conversion to HAR and back loses nothing. HAR of other programs has no times of watch events.
"""

import base64
from collections.abc import Iterable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from fakeapi.atomic_file import atomic_file
from fakeapi.clients.messages import Headers, Response, first_header
from fakeapi.machinery.codec import encode
from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.traces.actors import actor
from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.messages import is_kubernetes, is_watch, kept
from fakeapi.traces.model import Exchange, Gap, Header, Inferred, Missing, Request, StreamEvent, TraceError
from fakeapi.version import __version__

ORIGIN = "http://kubernetes.invalid"
"""The prefix of URLs in HAR files that fakeapi writes.

HAR requires complete URLs, but a trace has only paths and queries.
"""

HAR_MAX = 1 << 29
"""Maximum size of a decompressed HAR file in bytes. The limit exists because HAR is decoded as a whole."""

_HTTP = "HTTP/1.1"


class _Pair(msgspec.Struct):
    name: str
    value: str


class _PostData(msgspec.Struct):
    text: str = ""
    encoding: str = ""


class _Request(msgspec.Struct):
    method: Annotated[str, Meta(min_length=1)]
    url: str
    headers: tuple[_Pair, ...] = ()
    post_data: _PostData | None = msgspec.field(default=None, name="postData")


class _Content(msgspec.Struct):
    text: str = ""
    encoding: str = ""


class _Response(msgspec.Struct):
    status: int
    headers: tuple[_Pair, ...] = ()
    content: _Content = msgspec.field(default_factory=_Content)


class _Own(msgspec.Struct):
    """The field `_exchange` of a HAR entry: the data of an Exchange for which HAR has no field."""

    id: native_lines.Identity
    offset: native_lines.Seconds
    actor: str
    duration: native_lines.Seconds
    missing: tuple[str, ...] = ()
    inferred: tuple[str, ...] = ()
    ended: native_lines.WatchEnding | UnsetType = UNSET
    times: tuple[native_lines.Seconds, ...] | UnsetType = UNSET
    lengths: tuple[Annotated[int, Meta(ge=0)], ...] = ()


class _Entry(msgspec.Struct):
    started: str = msgspec.field(name="startedDateTime")
    request: _Request
    response: _Response
    time: float = 0.0
    own: _Own | None = msgspec.field(default=None, name="_exchange")


class _Log(msgspec.Struct):
    trace: Raw | UnsetType = msgspec.field(default=UNSET, name="_trace")
    entries: list[Raw] = []


class _Har(msgspec.Struct):
    log: _Log = msgspec.field(default_factory=_Log)


_decode_har = msgspec.json.Decoder(_Har).decode
_decode_entry = msgspec.json.Decoder(_Entry, strict=False).decode
_BYTE = lazy_pattern(r"\(byte (\d+)\)")


def write_har(path: Path, header: Header, exchanges: Iterable[Exchange]) -> int:
    """Writes a HAR file atomically, and returns the number of its entries.

    Raises TraceError if the file cannot be written.
    """
    count = 0

    def pieces() -> Iterator[bytes]:
        nonlocal count
        yield b'{"log":{"version":"1.2","creator":' + encode({"name": "fakeapi", "version": __version__})
        yield b',"_trace":' + native_lines.header_line(header) + b',"entries":['
        for exchange in exchanges:
            yield (b",\n" if count else b"\n") + encode(_entry(header, exchange))
            count += 1
        yield b"\n]}}\n"

    try:
        compression.check_writable(path)
        with atomic_file(path) as file, compression.open_write(path, file) as out:
            for piece in pieces():
                out.write(piece)
    except OSError as error:
        raise TraceError(str(path), 0, "", f"cannot be written: {error.strerror or error}") from error
    return count


def _entry(header: Header, exchange: Exchange) -> dict[str, Any]:
    milliseconds = exchange.duration * 1000
    own: dict[str, Any] = {
        "id": exchange.id,
        "offset": round(exchange.offset, 6),
        "actor": exchange.actor,
        "duration": round(exchange.duration, 6),
        "missing": tuple(map(str, exchange.missing)),
        "inferred": tuple(map(str, exchange.inferred)),
    }
    response, body = exchange.response, b""
    if response is not None:
        body = response.body
    if exchange.events is not None:
        own["ended"] = exchange.ended
        own["times"] = [round(event.offset, 6) for event in exchange.events]
        own["lengths"] = [len(event.line) for event in exchange.events]
        body = b"\n".join(event.line for event in exchange.events)
    return {
        "startedDateTime": native_lines.timestamp(header.started + exchange.offset),
        "time": milliseconds,
        "request": _request_entry(exchange.request),
        "response": _response_entry(response, body),
        "cache": {},
        "timings": {"send": 0, "wait": milliseconds, "receive": 0},
        "_exchange": own,
    }


def _request_entry(request: Request) -> dict[str, Any]:
    query = urlsplit(request.target).query
    entry: dict[str, Any] = {
        "method": request.method,
        "url": ORIGIN + request.target,
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(request.headers),
        "queryString": _pairs(parse_qsl(query, keep_blank_values=True)),
        "headersSize": -1,
        "bodySize": len(request.body),
    }
    if request.body:
        media_type = first_header(request.headers, "content-type")
        entry["postData"] = {"mimeType": media_type, "params": [], **_text(request.body)}
    return entry


def _response_entry(response: Response | None, body: bytes) -> dict[str, Any]:
    headers = () if response is None else response.headers
    return {
        "status": 0 if response is None else response.status,
        "statusText": "",
        "httpVersion": _HTTP,
        "cookies": [],
        "headers": _pairs(headers),
        "content": {"size": len(body), "mimeType": first_header(headers, "content-type"), **_text(body)},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": len(body),
    }


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]


def _text(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"text": base64.b64encode(data).decode("ascii"), "encoding": "base64"}


class HarFile:
    """The exchanges of a HAR file that went to a Kubernetes API server.

    - `header`: the header of the trace from which fakeapi created the file. None for files of other programs,
      whose offsets are in seconds since the Unix epoch.
    - `foreign`: the number of entries for other servers; complete after an iteration.

    The constructor and the iteration raise TraceError for an invalid file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.foreign = 0
        self._next = 0
        self._text = self._read()
        try:
            self._log = _decode_har(self._text).log
        except native_lines.MALFORMED as error:
            place = _BYTE.search(str(error))
            line = self._text.count(b"\n", 0, int(place[1]) if place else len(self._text)) + 1
            raise native_lines.explain(str(path), line, error) from error
        trace = self._log.trace
        self.header = None if trace is UNSET else self._trace(trace)

    def _read(self) -> bytes:
        try:
            with compression.open_read(self.path) as file:
                data = file.read(HAR_MAX + 1)
        except compression.UNREADABLE as error:
            raise compression.explain(self.path, 0, error) from error
        if len(data) > HAR_MAX:
            message = f"is longer than {HAR_MAX >> 20} MiB, more than a HAR file may have"
            raise TraceError(str(self.path), 0, "", message)
        return data.removeprefix(compression.BOM)

    def __iter__(self) -> Iterator[tuple[int, Exchange]]:
        """Yields pairs of line number and exchange. Raises TraceError at the first invalid entry."""
        self.foreign = self._next = 0
        for line, entry in self._entries():
            try:
                exchange = self._exchange(line, _decode_entry(entry))
            except native_lines.MALFORMED as error:
                raise native_lines.explain(str(self.path), line, error) from error
            if exchange is None:
                self.foreign += 1
            else:
                yield line, exchange

    def _entries(self) -> Iterator[tuple[int, Raw]]:
        """Yields pairs of line number and entry. The number is the line where the entry begins."""
        line, counted, end = 1, 0, 0
        for entry in self._log.entries:
            begin = self._text.index(entry, end)
            line += self._text.count(b"\n", counted, begin)
            counted, end = begin, begin + memoryview(entry).nbytes
            yield line, entry

    def _trace(self, value: Raw) -> Header:
        line = self._text.count(b"\n", 0, self._text.index(value)) + 1
        try:
            return native_lines.header_of(native_lines.decode_header(value))
        except native_lines.MALFORMED as error:
            raise native_lines.explain(str(self.path), line, error) from error
        except ValueError as error:
            raise TraceError(str(self.path), line, f"log._trace.{error.args[0]}", error.args[1]) from error

    def _exchange(self, line: int, entry: _Entry) -> Exchange | None:
        target = _target(entry.request.url)
        own = entry.own
        if own is None and not is_kubernetes(target):
            return None
        if not target.startswith("/"):
            raise TraceError(str(self.path), line, "request.url", f"has no path: {entry.request.url!r}")
        self._next += 1
        headers = kept((pair.name, pair.value) for pair in entry.request.headers)
        body = b""
        if entry.request.post_data is not None:
            data = entry.request.post_data
            body = self._data(line, "request.postData.text", data.text, data.encoding)
        request = Request(entry.request.method.upper(), target, headers, body)
        answer = entry.response
        content = self._data(line, "response.content.text", answer.content.text, answer.content.encoding)
        if answer.status and not 100 <= answer.status <= 999:
            raise TraceError(
                str(self.path), line, "response.status", f"{answer.status} is not an HTTP status"
            )
        answered = kept((pair.name, pair.value) for pair in answer.headers)
        place = f"{self.path}:{line}"
        if own is not None:
            return self._own(line, own, request, (answer.status, answered, content), place)
        started = self._time(line, entry.started)
        duration = max(0.0, entry.time / 1000)
        response = Response(answer.status, answered, content) if answer.status else None
        events: tuple[StreamEvent, ...] | None = None
        missing: tuple[Missing, ...] = (Missing(Gap.RESPONSE),) if response is None else ()
        if response is not None and response.status == 200 and is_watch(request.method, target):
            lines = [line for line in content.split(b"\n") if line]
            events = tuple(StreamEvent(started + duration, line) for line in lines)
            response = Response(answer.status, answered)
            missing = (Missing(Gap.EVENT_TIMES),)
        who = actor(first_header(headers, "user-agent"), first_header(headers, "impersonate-user"))
        return Exchange(
            self._next,
            started,
            who,
            request,
            response,
            duration,
            events,
            "" if events is None else "cut",
            missing,
            place=place,
        )

    def _own(
        self, line: int, own: _Own, request: Request, answer: tuple[int, Headers, bytes], place: str
    ) -> Exchange:
        status, headers, content = answer
        events: tuple[StreamEvent, ...] | None = None
        if own.times is not UNSET:
            if len(own.times) != len(own.lengths) or own.ended is UNSET or not status:
                message = "a watch needs a response, `ended`, and as many lengths as times"
                raise TraceError(str(self.path), line, "_exchange.times", message)
            ends = list(accumulate(own.lengths, lambda end, length: end + 1 + length, initial=-1))
            events = tuple(
                StreamEvent(time, content[end + 1 : end + 1 + length])
                for time, length, end in zip(own.times, own.lengths, ends, strict=False)
            )
            content = b""
        return Exchange(
            own.id,
            own.offset,
            own.actor,
            request,
            Response(status, headers, content) if status else None,
            own.duration,
            events,
            "" if events is None or own.ended is UNSET else own.ended,
            tuple(map(Missing.parse, own.missing)),
            tuple(map(Inferred.parse, own.inferred)),
            place,
        )

    def _data(self, line: int, field: str, text: str, encoding: str) -> bytes:
        if encoding == "base64":
            try:
                return base64.b64decode("".join(text.split()), validate=True)
            except ValueError as error:
                raise TraceError(str(self.path), line, field, f"is not base64: {error}") from error
        return text.encode("utf-8", "replace")

    def _time(self, line: int, text: str) -> float:
        try:
            return native_lines.seconds_of(text)
        except ValueError as error:
            raise TraceError(str(self.path), line, "startedDateTime", str(error)) from error


def _target(url: str) -> str:
    """Returns the path and query of a URL, percent-encoded as in the URL."""
    _, separator, rest = url.partition("://")
    if not separator:
        return url
    slash = rest.find("/")
    return rest[slash:].partition("#")[0] if slash >= 0 else "/"
