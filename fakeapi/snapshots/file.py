"""Snapshot files: JSON lines, with one line about the snapshot, one for each object, and one at the end.

    {"fakeapiSnapshot":1,"storedFormat":2,"release":"1.33","takenAt":"…","revision":"12","pending":[…]}
    {"key":"/core/configmaps/default/a","created":"7","revision":"9","value":"{…}"}
    {"end":1,"crc32":"…"}

A value is an object in its stored form (see `registry.stored.form`). Revisions are JSON strings, because many
JSON parsers round large numbers. The last line proves that the file is complete.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from fakeapi.atomic_file import write_atomically
from fakeapi.controlplane.stored_format import STORED_FORMAT
from fakeapi.inputfile import open_regular
from fakeapi.snapshots.content import SnapshotContent, SnapshotError
from fakeapi.snapshots.forged import problem_of, problem_together
from fakeapi_storage import Checkpoint, Entry

_Line = tuple[dict[str, Any], int]
"""A parsed line, and the CRC-32 of the file up to the end of this line."""

FORMAT = 1
"""The version of the snapshot file format. The server rejects files with another version."""

_STORED_FORMATS = range(1, STORED_FORMAT.version + 1)

LINE_BYTES_MAX = 128 * 1024 * 1024
"""Maximum size, in bytes, of a line in a snapshot file. Every object fits into a line."""

FILE_BYTES_MAX = 4 * 1024 * 1024 * 1024
"""Maximum uncompressed size, in bytes, of a snapshot file. Reading a longer file raises SnapshotError."""


def write(snapshot: SnapshotContent, path: Path) -> Path:
    """Writes a snapshot file atomically, gzipped if its name ends with .gz. Returns `path`.

    Raises SnapshotError if the file cannot be written.
    """
    try:
        write_atomically(path, encoded(snapshot, compressed=path.suffix == ".gz"))
    except OSError as error:
        raise SnapshotError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def encoded(snapshot: SnapshotContent, *, compressed: bool) -> bytes:
    """Returns the bytes of a snapshot file. `compressed`: whether to compress them with gzip."""
    data = b"".join(line.encode() for line in _lines(snapshot))
    return gzip.compress(data, compresslevel=1, mtime=0) if compressed else data


def _lines(snapshot: SnapshotContent) -> Iterator[str]:
    head = {
        "fakeapiSnapshot": FORMAT,
        "storedFormat": STORED_FORMAT.version,
        "release": snapshot.release,
        "takenAt": snapshot.taken_at,
        "revision": str(snapshot.checkpoint.revision),
        "pending": sorted("/".join(resource) for resource in snapshot.pending),
    }
    checksum = 0
    for content in (head, *map(_member, snapshot.checkpoint.entries)):
        line = _line(content)
        checksum = zlib.crc32(line.encode(), checksum)
        yield line
    yield _line({"end": len(snapshot.checkpoint.entries), "crc32": f"{checksum:08x}"})


def _line(content: dict[str, Any]) -> str:
    return json.dumps(content, separators=(",", ":")) + "\n"


def _member(entry: Entry) -> dict[str, Any]:
    value = entry.value.decode("utf-8", "surrogateescape")
    return {"key": entry.key, "created": str(entry.created), "revision": str(entry.revision), "value": value}


def read(path: Path) -> SnapshotContent:
    """Reads a snapshot file.

    Raises SnapshotError if the file cannot be read, is damaged, is not a snapshot, or has an unknown format.
    """
    try:
        with io.BufferedReader(open_regular(path)) as raw:
            return _read(raw, str(path))
    except OSError as error:
        raise SnapshotError(f"cannot read {path}: {error.strerror or error}") from error


def decoded(data: bytes, name: str) -> SnapshotContent:
    """Parses the bytes of a snapshot file. `name`: the name of the file in error messages.

    Raises SnapshotError if the bytes are damaged, are not a snapshot, or have an unknown format.
    """
    return _read(io.BytesIO(data), name)


def _read(raw: IO[bytes], name: str) -> SnapshotContent:
    try:
        lines = _read_lines(raw, name)
        head = next(lines, None)
        if head is None or "fakeapiSnapshot" not in head[0]:
            raise SnapshotError(f"{name} is not a snapshot of fakeapi")
        return _parse(name, head, lines)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise SnapshotError(f"{name} is damaged or incomplete: {error}") from error


def _parse(name: str, head: _Line, lines: Iterator[_Line]) -> SnapshotContent:
    about, checksum = head
    if about["fakeapiSnapshot"] != FORMAT or about.get("storedFormat") not in _STORED_FORMATS:
        raise SnapshotError(f"{name} is in a format that this version of fakeapi does not know")
    entries: list[Entry] = []
    for member, running in lines:
        if "end" in member:
            if member != {"end": len(entries), "crc32": f"{checksum:08x}"} or next(lines, None) is not None:
                raise SnapshotError(f"{name} is damaged: it was changed after it was written")
            return _content(name, about, entries)
        checksum = running
        line = f"its line {len(entries) + 2}"
        try:
            entry = _entry(member, about["storedFormat"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SnapshotError(f"{name} is damaged: {line} is not an object") from error
        problem = problem_of(entry)
        if problem:
            raise SnapshotError(f"{name} is damaged: {line}: {problem}")
        entries.append(entry)
    raise SnapshotError(f"{name} is incomplete: it ends after {len(entries)} objects")


def _content(name: str, about: dict[str, Any], entries: list[Entry]) -> SnapshotContent:
    try:
        pending = frozenset(_group_and_resource(text) for text in about["pending"])
        checkpoint = Checkpoint(tuple(sorted(entries, key=lambda entry: entry.key)), int(about["revision"]))
        content = SnapshotContent(checkpoint, str(about["release"]), str(about["takenAt"]), pending)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SnapshotError(f"{name} is damaged: required fields are missing in its first line") from error
    problem = problem_together(checkpoint)
    if problem:
        raise SnapshotError(f"{name} is damaged: {problem}")
    return content


def _group_and_resource(text: str) -> tuple[str, str]:
    group, _, resource = text.rpartition("/")
    return group, resource


def _entry(member: dict[str, Any], stored_format: int) -> Entry:
    key, value = member["key"], member["value"].encode("utf-8", "surrogateescape")
    for version in range(stored_format, STORED_FORMAT.version):
        key, value = STORED_FORMAT.migrations[version](key, value)
    return Entry(key, value, int(member["revision"]), int(member["created"]))


def _read_lines(raw: IO[bytes], name: str) -> Iterator[_Line]:
    checksum = total = 0
    compressed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    file = gzip.GzipFile(fileobj=raw) if compressed else raw
    while line := file.readline(LINE_BYTES_MAX + 1):
        total += len(line)
        if len(line) > LINE_BYTES_MAX or total > FILE_BYTES_MAX:
            raise SnapshotError(f"{name} is too large for a snapshot")
        checksum = zlib.crc32(line, checksum)
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict) or not line.endswith(b"\n"):
            raise SnapshotError(f"{name} is not a snapshot of fakeapi, or is incomplete")
        yield content, checksum
