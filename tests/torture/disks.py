"""Simulates failing disks: a library to preload into a server, and a model of files after a power failure."""

import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.torture.budget import Unavailable

SOURCE = Path(__file__).parent / "disk.c"
SECTOR = 512
_HEAD = struct.Struct("=cIQQ")


def library(directory: Path) -> Path:
    """Compiles the library that makes file operations fail; returns the library's path.

    Raises Unavailable if the machine is not Linux, or if the C compiler is missing or fails.
    """
    compiler = shutil.which("cc")
    if compiler is None or not Path("/proc/self").exists():
        raise Unavailable("a C compiler (cc) on Linux is needed to make the disk fail")
    target = directory / "disk.so"
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", str(target), str(SOURCE), "-ldl", "-lpthread"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unavailable(f"the C compiler refused {SOURCE.name}: {done.stderr[:500]}")
    return target


class Operation(NamedTuple):
    """A logged file operation.

    `kind`: W writes `data` at `offset`, T truncates the file to `offset`, S syncs the file, U removes it.
    """

    kind: str
    path: str
    offset: int
    data: bytes


def read_log(path: Path) -> Iterator[Operation]:
    """Yields the file operations from the preloaded library's log; skips an incomplete last operation."""
    with path.open("rb") as log:
        while len(head := log.read(_HEAD.size)) == _HEAD.size:
            kind, length, offset, size = _HEAD.unpack(head)
            name = log.read(length)
            data = log.read(size) if kind == b"W" else b""
            if len(name) < length or (kind == b"W" and len(data) < size):
                return
            yield Operation(kind.decode(), name.decode(), offset, data)


@dataclass
class File:
    """A simulated file: the bytes that are certainly on the disk, and the operations not yet synced."""

    durable: bytearray = field(default_factory=bytearray)
    waiting: list[Operation] = field(default_factory=list)

    def sync(self) -> None:
        for operation in self.waiting:
            _apply(self.durable, operation)
        self.waiting.clear()

    def after_power_failure(self, chance: random.Random) -> bytes:
        """Returns a possible content of the file after a power failure.

        Applies a random part of the unsynced operations: none, the first operations, some sectors, or all.
        """
        content = bytearray(self.durable)
        kept = chance.choice(["nothing", "beginning", "sectors", "all"])
        if kept == "nothing":
            return bytes(content)
        end = chance.randint(0, len(self.waiting)) if kept == "beginning" else len(self.waiting)
        for operation in self.waiting[:end]:
            if kept != "sectors":
                _apply(content, operation)
            elif operation.kind == "T":
                if chance.random() < 0.5:
                    _apply(content, operation)
            else:
                for begin in range(0, len(operation.data), SECTOR):
                    if chance.random() < 0.5:
                        part = operation.data[begin : begin + SECTOR]
                        _apply(content, operation._replace(offset=operation.offset + begin, data=part))
        return bytes(content)


class Disk:
    """A simulated disk with its files. Creating or removing a file is durable immediately."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}

    def do(self, operation: Operation) -> None:
        if operation.kind == "U":
            self.files.pop(operation.path, None)
            return
        file = self.files.setdefault(operation.path, File())
        if operation.kind == "S":
            file.sync()
        else:
            file.waiting.append(operation)

    def fail(self, directory: Path, chance: random.Random) -> None:
        """Writes every file into `directory`, with the content that a power failure may leave."""
        for path, file in self.files.items():
            (directory / Path(path).name).write_bytes(file.after_power_failure(chance))


def _apply(content: bytearray, operation: Operation) -> None:
    if operation.kind == "T":
        del content[operation.offset :]
    missing = operation.offset + len(operation.data) - len(content)
    if missing > 0:
        content.extend(bytes(missing))
    content[operation.offset : operation.offset + len(operation.data)] = operation.data
