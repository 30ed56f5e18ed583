"""Recording: writes the exchanges of a running server into a trace file.

Call all methods except `close` and `abort` in the event loop of the server.
"""

import logging
import time
import zlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from fakeapi.clients.messages import Headers, Response, first_header
from fakeapi.traces.actors import actor
from fakeapi.traces.formats import native_lines
from fakeapi.traces.formats.native import LineTooLong, TraceWriter
from fakeapi.traces.messages import BODY_MAX, Inflater, NotDecoded, decoded, is_watch, kept
from fakeapi.traces.model import Ending, Exchange, Gap, Header, Missing, Request, StreamEvent, TraceError
from fakeapi.traces.recording import recording_file
from fakeapi.traces.recording.redaction import Redactor

logger = logging.getLogger("fakeapi.traces")

RawHeaders = Iterable[tuple[bytes, bytes]]

EVENT_OVERHEAD = 64
"""Number of bytes that a watch event needs in a file in addition to its line.

These bytes count towards BODY_MAX.
"""

_FRAME_LENGTH = 4
_TOO_LONG = "too long"


class Recording:
    """Records the exchanges of a server, and creates the trace file at `close`.

    If an exchange cannot be written, the recording ends, but the server continues. `close` then raises the
    error.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        source: str,
        server: str,
        release: str = "",
        redactor: Redactor | None = None,
    ) -> None:
        """Opens a temporary file. Raises TraceError if that fails, or if the name has another suffix.

        - `path`: the trace file; its name must end with .jsonl, .jsonl.gz or .jsonl.zst. `close` replaces an
          existing file.
        - `source`, `server` and `release`: the attributes of the trace's Header.
        - `redactor`: removes credentials and fields; None removes only credentials.
        """
        recording_file.check_name(Path(path))
        self._before = recording_file.signature(Path(path))
        self._redactor = redactor or Redactor()
        self._begun_at = time.perf_counter()
        header = Header(
            native_lines.VERSION, server, release, time.time(), source, redacted=self._redactor.names
        )
        self._writer = TraceWriter(path, header)
        self._open: dict[int, ObservedExchange] = {}
        self._failure: TraceError | None = None
        self._next = 0
        self._closed = False

    @property
    def path(self) -> Path:
        """The trace file. `close` can choose another name."""
        return self._writer.path

    @property
    def header(self) -> Header:
        return self._writer.header

    def describe(self, *, server: str, release: str) -> None:
        """Sets the server and the release in the header of the trace."""
        header = self._writer.header
        self._writer.header = Header(
            header.version, server, release, header.started, header.source, header.note, header.redacted
        )

    def hide(self, authorization: str) -> None:
        """Removes a credential from all later exchanges.

        `authorization`: the value of an Authorization header with the credential.
        """
        self._redactor.hide(authorization)

    def __len__(self) -> int:
        """Returns the number of finished exchanges."""
        return len(self._writer)

    def now(self) -> float:
        """Returns the seconds since the start of the recording."""
        return time.perf_counter() - self._begun_at

    def begin(self, method: str, target: str, headers: RawHeaders) -> "ObservedExchange":
        """Starts to record a request whose head has arrived. Returns the exchange that collects its data."""
        self._next += 1
        observed = ObservedExchange(self, self._next, method, target, _text(headers))
        if not self._closed:
            self._open[observed.id] = observed
        return observed

    def keep(self, observed: "ObservedExchange") -> None:
        """Adds a finished exchange to the trace. A second call for the same exchange does nothing."""
        if self._open.pop(observed.id, None) is None or self._failure is not None:
            return
        exchange = self._redactor.exchange(observed.exchange())
        try:
            try:
                self._writer.append(exchange)
            except LineTooLong:
                self._writer.append(_without_bodies(exchange))
        except TraceError as error:
            logger.error("Recording ends: %s", error)  # noqa: TRY400 - a full disk needs no traceback
            self._failure = error
            self._writer.abort()

    def end_open(self) -> None:
        """Adds all unfinished exchanges to the trace, with the data that have arrived so far."""
        for observed in list(self._open.values()):
            observed.end("open")

    def close(self) -> None:
        """Creates the trace file. Raises TraceError if this or an earlier write to the file failed.

        If another program has written the file since the recording began, creates a file with a number in
        its name, such as "s-2.jsonl.gz". A second call does nothing.
        """
        if self._closed:
            return
        self._closed = True
        self.end_open()
        if self._failure is not None:
            raise self._failure
        if recording_file.signature(self.path) not in {None, self._before}:
            self._writer.path = recording_file.unused(self.path)
        self._writer.close()

    def abort(self) -> None:
        """Drops all recorded exchanges, without creating the trace file."""
        self._closed = True
        self._open.clear()
        self._writer.abort()


class ObservedExchange:
    """An exchange that is being recorded.

    The methods `asked`, `started` and `answered` collect its data. The method `end` records it.
    """

    __slots__ = (
        "_answer",
        "_dropped",
        "_ended",
        "_events",
        "_headers",
        "_inflater",
        "_method",
        "_missing",
        "_offset",
        "_over",
        "_recording",
        "_request",
        "_size",
        "_split",
        "_started",
        "_target",
        "id",
        "left",
    )

    def __init__(
        self, recording: Recording, identity: int, method: str, target: str, headers: list[tuple[str, str]]
    ) -> None:
        self._recording = recording
        self.id = identity
        self.left = False
        """Whether the client has disconnected."""
        self._method = method
        self._target = target
        self._headers = headers
        self._offset = recording.now()
        self._request = bytearray()
        self._started: tuple[int, list[tuple[str, str]]] | None = None
        self._answer = bytearray()
        self._events: list[StreamEvent] | None = None
        self._split = _lines
        self._inflater: Inflater | None = None
        self._size = 0
        self._dropped = 0
        self._missing: list[Missing] = []
        self._ended: Ending = ""
        self._over = 0.0

    def asked(self, data: bytes) -> None:
        """Adds a part of the request body."""
        if len(self._request) + len(data) <= BODY_MAX:
            self._request += data
        elif data and not self._lacks(Gap.REQUEST_BODY):
            self._missing.append(Missing(Gap.REQUEST_BODY, _TOO_LONG))

    def started(self, status: int, headers: RawHeaders) -> None:
        """Sets the status and the headers of the response."""
        texts = _text(headers)
        self._started = (status, texts)
        if status == 200 and is_watch(self._method, self._target):
            self._events = []
            if "protobuf" in first_header(texts, "content-type"):
                self._split = _frames
            if first_header(texts, "content-encoding") == "gzip":
                self._inflater = Inflater("gzip")

    def answered(self, data: bytes) -> None:
        """Adds a part of the response body, or of the events of a watch."""
        if not data:
            return
        if self._dropped:
            self._dropped += 1
            return
        if self._inflater is not None:
            try:
                data = self._inflater.inflate(data, BODY_MAX + 1)
            except zlib.error:
                self._missing.append(Missing(Gap.WATCH_EVENTS, "their gzip is damaged"))
                self._inflater, self._size = None, BODY_MAX
        self._size += len(data)
        if self._size > BODY_MAX:
            self._dropped += 1
            return
        self._answer += data
        if self._events is not None:
            offset = self._recording.now()
            lines = self._split(self._answer)
            self._size += EVENT_OVERHEAD * len(lines)
            self._events.extend(StreamEvent(offset, line) for line in lines)

    def failed(self, reason: str) -> None:
        """Sets the reason why the exchange has no response."""
        self._missing.append(Missing(Gap.RESPONSE, reason))

    def end(self, ended: Ending) -> None:
        """Ends the exchange and adds it to the trace. A second call does nothing.

        `ended`: the reason why the exchange ended; "server" for a complete response, or if the server ended
        the watch.
        """
        if not self._over:
            self._over = self._recording.now()
            self._ended = ended
            self._recording.keep(self)

    def exchange(self) -> Exchange:
        """Returns the Exchange with the data that have been added so far."""
        headers = self._headers
        return Exchange(
            self.id,
            self._offset,
            actor(first_header(headers, "user-agent"), first_header(headers, "impersonate-user")),
            self._asked(),
            self._response(),
            self._over - self._offset,
            None if self._events is None else tuple(self._events),
            "" if self._events is None else self._ended,
            tuple(self._missing),
        )

    def _lacks(self, gap: Gap) -> bool:
        return any(missing.gap is gap for missing in self._missing)

    def _asked(self) -> Request:
        encoding, body = first_header(self._headers, "content-encoding"), bytes(self._request)
        announced = first_header(self._headers, "content-length")
        if announced.isdecimal() and int(announced) > len(body) and not self._missing:
            self._missing.append(Missing(Gap.UNREAD_REQUEST_BODY))
        plain = b""
        if not self._lacks(Gap.REQUEST_BODY):
            try:
                plain = decoded(body, encoding)
            except NotDecoded as error:
                self._missing.append(Missing(Gap.REQUEST_BODY, str(error)))
        return Request(self._method, self._target, kept(self._headers), plain)

    def _response(self) -> Response | None:
        if self._started is None:
            if not self._lacks(Gap.RESPONSE):
                self._missing.append(Missing(Gap.RESPONSE, "it did not come in time"))
            return None
        status, texts = self._started
        headers: Headers = kept(texts)
        if self._events is not None:
            if self._answer and not self._dropped:
                # Keep an incomplete last line.
                self._events.append(StreamEvent(self._over, bytes(self._answer)))
            if self._dropped:
                detail = f"after the first {len(self._events)}, more than {BODY_MAX >> 20} MiB"
                self._missing.append(Missing(Gap.WATCH_EVENTS, detail))
            return Response(status, headers)
        if self._dropped:
            self._missing.append(Missing(Gap.RESPONSE_BODY, _TOO_LONG))
            return Response(status, headers)
        if self._ended != "server":
            self._missing.append(Missing(Gap.RESPONSE_END))
        body = b""
        try:
            body = decoded(bytes(self._answer), first_header(texts, "content-encoding"))
        except NotDecoded as error:
            self._missing.append(Missing(Gap.RESPONSE_BODY, str(error)))
        return Response(status, headers, body)


def _without_bodies(exchange: Exchange) -> Exchange:
    """Returns an exchange without its bodies and watch events, and lists them as missing."""
    missing = list(exchange.missing)
    request, response, events = exchange.request, exchange.response, exchange.events
    if request.body:
        request = replace(request, body=b"")
        missing.append(Missing(Gap.REQUEST_BODY, _TOO_LONG))
    if response is not None and response.body:
        response = replace(response, body=b"")
        missing.append(Missing(Gap.RESPONSE_BODY, _TOO_LONG))
    if events:
        events = ()
        missing.append(Missing(Gap.WATCH_EVENTS, _TOO_LONG))
    return replace(exchange, request=request, response=response, events=events, missing=tuple(missing))


def _text(headers: RawHeaders) -> list[tuple[str, str]]:
    return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]


def _lines(buffer: bytearray) -> list[bytes]:
    """Removes all complete lines from a buffer, and returns the lines that are not empty."""
    end = buffer.rfind(b"\n")
    if end < 0:
        return []
    lines = bytes(buffer[:end]).split(b"\n")
    del buffer[: end + 1]
    return [line for line in lines if line]


def _frames(buffer: bytearray) -> list[bytes]:
    """Removes all complete frames of a protobuf watch from a buffer, and returns their contents.

    A frame consists of the content's length in four bytes, and the content.
    """
    frames: list[bytes] = []
    while len(buffer) >= _FRAME_LENGTH:
        end = _FRAME_LENGTH + int.from_bytes(buffer[:_FRAME_LENGTH], "big")
        if len(buffer) < end:
            break
        frames.append(bytes(buffer[_FRAME_LENGTH:end]))
        del buffer[:end]
    return frames
