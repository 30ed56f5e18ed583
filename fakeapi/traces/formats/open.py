"""Traces of any format, told apart by what is in the file."""

import re
import struct
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from fakeapi.machinery.patch.media_types import STRATEGIC_MERGE_PATCH
from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.formats.audit import AuditLog, is_audit, release_of
from fakeapi.traces.formats.har import HarFile
from fakeapi.traces.formats.native import NativeReader, Spool
from fakeapi.traces.model import Exchange, Header, TraceError

_SNIFFED = 1 << 16
_HAR = re.compile(rb'\{\s*"log"\s*:')
_NUMBER = struct.Struct("<Q")


class TraceReader(Protocol):
    """A trace that is read as often as it is iterated, each time anew and in the order of offsets.

    `format`: "native", "audit" or "har". Iterating raises TraceError at what cannot be read.
    """

    @property
    def path(self) -> Path: ...

    @property
    def format(self) -> str: ...

    @property
    def header(self) -> Header: ...

    def __iter__(self) -> Iterator[Exchange]: ...

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_trace(
    path: str | Path, *, patch_type: str = STRATEGIC_MERGE_PATCH, ordered: bool = True
) -> TraceReader:
    """The trace in a file, native, audit log or HAR, gzip or zstd by its name. Raises TraceError.

    Audit logs and HAR are read to their end here, and sorted in a temporary file. `patch_type`: the media
    type of patches in audit logs about which nothing tells. With `ordered` false a native trace may be in any
    order.
    """
    path = Path(path)
    found = sniff(path)
    if found == "native":
        return NativeReader(path, ordered=ordered)
    if found == "audit":
        log = AuditLog(path, assume=patch_type)
        header = Header(native_lines.VERSION, "kube-apiserver", release_of(path), 0.0, "audit")
        return SortedReader(path, found, header, log, absolute=True)
    har = HarFile(path)
    header = har.header or Header(native_lines.VERSION, "", release_of(path), 0.0, "har")
    reader = SortedReader(path, found, header, har, absolute=har.header is None)
    if har.foreign:
        note = f"{har.foreign} requests that are none to Kubernetes were left out"
        reader.header = replace(reader.header, note=note)
    return reader


def sniff(path: Path) -> str:
    """The format of a file. Raises TraceError for what is none of them."""
    try:
        with compression.open_read(path) as file:
            start = file.read(_SNIFFED)
    except compression.UNREADABLE as error:
        raise compression.explain(path, 1, error) from error
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text:
        raise TraceError(str(path), 0, "", "is empty")
    line = text.partition(b"\n")[0]
    if _HAR.match(text):
        return "har"
    if b'"' + native_lines.KIND.encode() + b'"' in line[:4096]:
        return "native"
    if is_audit(line):
        return "audit"
    what = "no JSON" if text[:1] not in b"{[" else "other JSON"
    raise TraceError(
        str(path), 1, "", f"is not a trace ({what}): neither fakeapi's format, an audit log nor HAR 1.2"
    )


class SortedReader:
    """A trace from a source of another order, which is read once, into a temporary file.

    With `absolute`, the source's offsets are epoch seconds, and the first becomes the header's `started`.
    Raises TraceError, also where there is nothing in it.
    """

    def __init__(
        self,
        path: Path,
        format: str,  # noqa: A002 - the name that readers have for it
        header: Header,
        source: Iterable[tuple[int, Exchange]],
        *,
        absolute: bool,
    ) -> None:
        self.path = path
        self.format = format
        try:
            self._spool = Spool(Path(tempfile.gettempdir()))
        except OSError as error:
            raise self._refused(error) from error
        try:
            first = self._fill(source)
        except OSError as error:
            self._spool.close()
            raise self._refused(error) from error
        except BaseException:
            self._spool.close()
            raise
        self._since = first if absolute else 0.0
        self.header = replace(header, started=first) if absolute else header

    def _fill(self, source: Iterable[tuple[int, Exchange]]) -> float:
        first = float("inf")
        for number, exchange in source:
            first = min(first, exchange.offset)
            try:
                encoded = native_lines.exchange_line(exchange)
            except UnicodeEncodeError as error:
                message = "has half of a surrogate pair in it, which is no text"
                raise TraceError(str(self.path), number, "", message) from error
            self._spool.add(exchange.offset, _NUMBER.pack(number) + encoded)
        if not len(self._spool):
            raise TraceError(str(self.path), 0, "", "has no request to Kubernetes in it")
        return first

    def __len__(self) -> int:
        return len(self._spool)

    def __iter__(self) -> Iterator[Exchange]:
        path, since = str(self.path), self._since
        for data in self._spool:
            place = f"{path}:{_NUMBER.unpack_from(data)[0]}"
            yield native_lines.exchange_of(
                native_lines.decode_exchange(memoryview(data)[_NUMBER.size :]), place, since
            )

    def close(self) -> None:
        """Removes the temporary file."""
        self._spool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refused(self, error: OSError) -> TraceError:
        place = tempfile.gettempdir()
        return TraceError(str(self.path), 0, "", f"cannot be sorted in {place}: {error.strerror or error}")
