"""Opens a trace file, and detects its format from its content."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.machinery.patch.media_types import STRATEGIC_MERGE_PATCH
from fakeapi.traces.formats import compression, native_lines
from fakeapi.traces.formats.audit import AuditLog, is_audit, release_of
from fakeapi.traces.formats.har import HarFile
from fakeapi.traces.formats.native import NativeReader
from fakeapi.traces.formats.sorting import SortedReader
from fakeapi.traces.model import Exchange, Header, TraceError

_SNIFFED = 1 << 16
_HAR = lazy_pattern(rb'\{\s*"log"\s*:')


class TraceReader(Protocol):
    """An open trace. Each iteration yields all exchanges, in the order of their offsets.

    `format`: "native", "audit" or "har". The iteration raises TraceError at the first invalid line.
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
    """Opens a native trace, an audit log or a HAR file, also with .gz or .zst.

    - `patch_type`: the media type of a patch in an audit log if the log does not show the actual type.
    - `ordered`: whether the lines of a native trace must be in the order of their offsets.

    Audit logs and HAR files are read completely, and sorted in a temporary file. Raises TraceError if the
    file cannot be read, or does not have one of these formats.
    """
    path = Path(path)
    format_name = sniff(path)
    if format_name == "native":
        return NativeReader(path, ordered=ordered)
    if format_name == "audit":
        log = AuditLog(path, assume=patch_type)
        header = Header(native_lines.VERSION, "kube-apiserver", release_of(path), 0.0, "audit")
        return SortedReader(path, format_name, header, log, absolute=True)
    har = HarFile(path)
    header = har.header or Header(native_lines.VERSION, "", release_of(path), 0.0, "har")
    reader = SortedReader(path, format_name, header, har, absolute=har.header is None)
    if har.foreign:
        note = f"{har.foreign} requests to other servers than Kubernetes were left out"
        reader.header = replace(reader.header, note=note)
    return reader


def sniff(path: Path) -> str:
    """Returns the format of a trace file: "native", "audit" or "har".

    Raises TraceError if the file cannot be read or has another format.
    """
    try:
        with compression.open_read(path) as file:
            start = file.read(_SNIFFED)
    except compression.UNREADABLE as error:
        raise compression.explain(path, 1, error) from error
    text = start.removeprefix(compression.BOM).lstrip()
    if not text:
        raise TraceError(str(path), 0, "", "is empty")
    line = text.partition(b"\n")[0]
    if _HAR.match(text):
        return "har"
    if b'"' + native_lines.KIND.encode() + b'"' in line[:4096]:
        return "native"
    if is_audit(line):
        return "audit"
    content = "not JSON" if text[:1] not in b"{[" else "other JSON"
    raise TraceError(
        str(path), 1, "", f"is not a trace ({content}): neither fakeapi's format, an audit log nor HAR 1.2"
    )
