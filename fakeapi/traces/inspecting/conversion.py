"""From one format to another, and what is in a trace."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from fakeapi.machinery.meta import request_info
from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.formats.har import write_har
from fakeapi.traces.formats.native import TraceWriter, lines_of
from fakeapi.traces.formats.open import TraceReader, open_trace, sniff
from fakeapi.traces.model import Exchange, Header, TraceError
from fakeapi.traces.recording.messages import is_kubernetes
from fakeapi.traces.recording.redaction import Redactor

PROBLEMS_MAX = 100
"""Problems that a validation tells; the count goes on."""


def is_har_name(path: Path) -> bool:
    """Whether a file of this name is HAR."""
    return ".har" in path.suffixes[-2:]


def convert(
    source: TraceReader,
    target: str | Path,
    *,
    redactor: Redactor | None = None,
    release: str = "",
    progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Writes a trace as HAR where the name says so, else in the native format; returns how many exchanges.

    The file appears whole or not at all. Raises TraceError.
    """
    target, redactor = Path(target), redactor or Redactor()
    header = source.header
    redacted = tuple(dict.fromkeys((*header.redacted, *redactor.names)))
    header = replace(header, release=release or header.release, redacted=redacted)

    def exchanges() -> Iterator[Exchange]:
        for count, exchange in enumerate(source, 1):
            yield redactor.exchange(exchange)
            progress(count)

    if is_har_name(target):
        return write_har(target, header, exchanges())
    with TraceWriter(target, header) as writer:
        for exchange in exchanges():
            writer.append(exchange)
        return len(writer)


def validate(path: str | Path) -> Iterator[TraceError]:
    """Everything that is wrong with a trace, line by line; nothing where it is fine.

    Of an audit log or a HAR file only the first mistake is found: what comes after it has no meaning.
    """
    path = Path(path)
    try:
        if sniff(path) == "native":
            yield from _validate_native(path)
            return
        with open_trace(path) as reader:
            for _ in reader:
                pass
    except TraceError as error:
        yield error


def _validate_native(path: Path) -> Iterator[TraceError]:
    name, seen, latest, ours, count = str(path), set[int](), 0.0, 0, 0
    lines = lines_of(path)
    number, line = next(lines)
    try:
        native_lines.header_of(native_lines.decode_header(line))
    except (*native_lines.MALFORMED, ValueError) as error:
        yield _problem(name, number, error)
    for number, line in lines:
        count += 1
        try:
            line.decode()
            exchange = native_lines.exchange_of(native_lines.decode_exchange(line), f"{name}:{number}")
        except (*native_lines.MALFORMED, ValueError) as error:
            yield _problem(name, number, error)
            continue
        yield from _inconsistencies(name, number, exchange)
        if exchange.offset < latest:
            yield TraceError(name, number, "offset", f"{exchange.offset} is before the line above ({latest})")
        if exchange.id in seen:
            yield TraceError(name, number, "id", f"{exchange.id} was there before")
        seen.add(exchange.id)
        latest = exchange.offset
        ours += is_kubernetes(exchange.request.target)
    if count and not ours:
        yield TraceError(name, 0, "", "has no request to Kubernetes in it")


def _problem(name: str, number: int, error: Exception) -> TraceError:
    if isinstance(error, UnicodeDecodeError):
        return TraceError(name, number, "", f"is not UTF-8: {error.reason} at byte {error.start + 1}")
    if isinstance(error, native_lines.MALFORMED):
        return native_lines.explain(name, number, error)
    return TraceError(name, number, *error.args)


def _inconsistencies(name: str, number: int, exchange: Exchange) -> Iterator[TraceError]:
    if not exchange.request.target.startswith("/"):
        yield TraceError(name, number, "request.target", "does not begin with a slash")
    if exchange.request.method != exchange.request.method.upper():
        yield TraceError(name, number, "request.method", "is not in upper case")
    for side, headers in (
        ("request", exchange.request.headers),
        ("response", exchange.response.headers if exchange.response else ()),
    ):
        for index, (key, _) in enumerate(headers):
            if key != key.lower():
                yield TraceError(name, number, f"{side}.headers[{index}]", f"{key} is not in lower case")
    latest = exchange.offset
    for index, event in enumerate(exchange.events or ()):
        if event.offset < latest:
            where = f"response.events[{index}].offset"
            yield TraceError(name, number, where, f"{event.offset} is before what came before it ({latest})")
        latest = event.offset


@dataclass(slots=True)
class Statistics:
    """What a trace consists of."""

    header: Header
    format: str
    exchanges: int = 0
    seconds: float = 0.0
    writes: int = 0
    watches: int = 0
    events: int = 0
    bytes: int = 0
    actors: Counter[str] = field(default_factory=Counter)
    resources: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)
    inferred: Counter[str] = field(default_factory=Counter)

    def add(self, exchange: Exchange) -> None:
        request, response = exchange.request, exchange.response
        self.exchanges += 1
        self.seconds = max(self.seconds, exchange.offset + exchange.duration)
        self.writes += request.method not in {"GET", "HEAD", "OPTIONS"}
        self.bytes += len(request.body) + (len(response.body) if response else 0)
        if exchange.events is not None:
            self.watches += 1
            self.events += len(exchange.events)
        self.actors[exchange.actor] += 1
        what = resource_of(request.target)
        self.resources[what] += 1
        self.requests["WATCH" if exchange.events is not None else request.method] += 1
        self.statuses[str(response.status) if response else "none"] += 1
        self.missing.update(exchange.missing)
        self.inferred.update(exchange.inferred)

    def as_json(self) -> dict[str, object]:
        return {
            "format": self.format,
            "server": self.header.server,
            "release": self.header.release,
            "started": native_lines.timestamp(self.header.started),
            "source": self.header.source,
            "redacted": list(self.header.redacted),
            "note": self.header.note,
            **{
                name: getattr(self, name)
                for name in ("exchanges", "seconds", "writes", "watches", "events", "bytes")
            },
            **{
                name: dict(getattr(self, name).most_common())
                for name in ("actors", "resources", "requests", "statuses", "missing", "inferred")
            },
        }


def statistics(reader: TraceReader) -> Statistics:
    """Raises TraceError."""
    found = Statistics(reader.header, reader.format)
    for exchange in reader:
        found.add(exchange)
    return found


def resource_of(target: str) -> str:
    """What a request is about: "resourceclaims/status.resource.k8s.io", or its path if it is no resource."""
    path = urlsplit(target).path
    info = request_info.parse(path)
    if info is None or not info.resource:
        return path
    name = f"{info.resource}/{info.subresource}" if info.subresource else info.resource
    return f"{name}.{info.group}" if info.group else name


def one_line(exchange: Exchange) -> str:
    """An exchange for people: when, who, what, and what came of it."""
    response = exchange.response
    status = str(response.status) if response else "-"
    text = f"{exchange.offset:10.3f}  #{exchange.id:<5} {exchange.actor}  {exchange.request.method} "
    text += f"{exchange.request.target}  {status}"
    if exchange.events is not None:
        text += f"  {len(exchange.events)} events, {exchange.ended}"
    return text


def in_full(exchange: Exchange) -> str:
    """An exchange with its headers and bodies, JSON indented."""
    request, response = exchange.request, exchange.response
    lines = [one_line(exchange).strip(), ""]
    lines += [
        f"> {request.method} {request.target}",
        *(f"> {name}: {value}" for name, value in request.headers),
    ]
    lines += _body(request.body)
    if response is not None:
        lines += ["", f"< {response.status}", *(f"< {name}: {value}" for name, value in response.headers)]
        lines += _body(response.body)
    for event in exchange.events or ():
        lines += ["", f"  at {event.offset:.3f}", *_body(event.line)]
    lines += [f"missing: {each}" for each in exchange.missing]
    lines += [f"inferred: {each}" for each in exchange.inferred]
    return "\n".join(lines)


def _body(data: bytes) -> list[str]:
    if not data:
        return []
    try:
        text = json.dumps(json.loads(data), indent=2, ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace").decode().splitlines()
    except (ValueError, RecursionError):
        text = data.decode("utf-8", "backslashreplace")
        return text.splitlines() if text.isprintable() or "\n" in text else [f"({len(data)} bytes)"]


def matching(exchanges: Iterable[Exchange], *, actor: str = "", grep: str = "") -> Iterator[Exchange]:
    """Those of an actor, and with a text in method and target."""
    for exchange in exchanges:
        line = f"{exchange.request.method} {exchange.request.target}"
        if actor in exchange.actor and grep in line:
            yield exchange


def check_target(path: Path) -> None:
    """Raises TraceError where a file of this name cannot be written."""
    compression.check_writable(path)
    if not path.parent.is_dir():
        raise TraceError(str(path), 0, "", f"cannot be written: there is no directory {path.parent}")
