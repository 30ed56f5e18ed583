"""Converts a trace to the native format or to HAR."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from fakeapi.traces.formats import compression
from fakeapi.traces.formats.har import write_har
from fakeapi.traces.formats.native import TraceWriter
from fakeapi.traces.formats.open import TraceReader
from fakeapi.traces.model import Exchange, TraceError
from fakeapi.traces.recording.redaction import Redactor


def is_har_name(path: Path) -> bool:
    """Whether the name of a file ends with .har, .har.gz or .har.zst."""
    return ".har" in path.suffixes[-2:]


def convert(
    source: TraceReader,
    target: str | Path,
    *,
    redactor: Redactor | None = None,
    release: str = "",
    progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Writes a trace to a file atomically, and returns the number of exchanges.

    - `target`: the file; its name selects HAR (.har, .har.gz, .har.zst) or the native format.
    - `redactor`: removes credentials and fields; None removes only credentials.
    - `release`: the release in the header; "" keeps the release of the source.
    - `progress`: called with the number of exchanges so far.

    Raises TraceError if the source cannot be read or the file cannot be written.
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


def check_target(path: Path) -> None:
    """Raises TraceError if the directory of a file does not exist, or if a compression library is missing."""
    compression.check_writable(path)
    if not path.parent.is_dir():
        raise TraceError(str(path), 0, "", f"cannot be written: {path.parent} does not exist")
