"""Finds all errors in a trace file."""

from collections.abc import Iterator
from pathlib import Path

from fakeapi.traces.formats import native_lines
from fakeapi.traces.formats.native import lines_of
from fakeapi.traces.formats.open import open_trace, sniff
from fakeapi.traces.messages import is_kubernetes
from fakeapi.traces.model import Exchange, TraceError

PROBLEMS_MAX = 100
"""Maximum number of errors that the command `fakeapi trace validate` prints.

The command only counts further errors.
"""


def validate(path: str | Path) -> Iterator[TraceError]:
    """Yields the errors in a trace, line by line.

    For an audit log, a HAR file or an unreadable file, yields only the first error.
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
            yield TraceError(
                name, number, "offset", f"{exchange.offset} is before that of the line above ({latest})"
            )
        if exchange.id in seen:
            yield TraceError(name, number, "id", f"{exchange.id} is used by an earlier line")
        seen.add(exchange.id)
        latest = exchange.offset
        ours += is_kubernetes(exchange.request.target)
    if count and not ours:
        yield TraceError(name, 0, "", "contains no request to Kubernetes")


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
            yield TraceError(
                name, number, where, f"{event.offset} is before that of the event before it ({latest})"
            )
        latest = event.offset
