"""After a power failure, durability "full" loses no acknowledged write, and "normal" stays consistent.

A process writes to a storage. A preloaded library logs every operation on the storage's files. The process
also writes a file of acknowledged writes, so the log shows which file operations came before each
acknowledgement. The part then simulates power failures at random points of the log: unsynced data is lost in
part or completely. After each power failure it opens the storage and checks the content.
"""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from fakeapi_storage import StorageError, open_storage
from fakeapi_storage.log import Durability
from tests.torture.budget import Budget, Finding, patience
from tests.torture.disks import Disk, Operation, library, read_log

WRITER = """
import asyncio, os, sys
from fakeapi_storage import open_storage

async def write(storage, acknowledgements, task, count):
    for n in range(count):
        key, value = f"/{task}/{n % 5}", f"{task}-{n}-".encode() + b"x" * 7_000
        newest = storage.newest(key)
        if newest is None:
            entry = await storage.create(key, value)
        elif n % 7 == 0:
            entry, value = await storage.delete(key, newest.revision), b"deleted-"
        else:
            entry = await storage.update(key, value, newest.revision)
        line = f"{entry.revision} {key} {value.decode().rstrip('x')}\\\\n"
        os.write(acknowledgements, line.encode())

async def main(directory, durability, count):
    acknowledgements = os.open(f"{directory}/acknowledgements", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    storage = await open_storage(f"{directory}/db", durability=durability, window=100)
    await asyncio.gather(*(write(storage, acknowledgements, task, count) for task in range(4)))
    os._exit(0)  # without an orderly end

asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
""".replace("\\\\n", "\\n")

WRITES = 150
"""Number of writes of each of four writers in a round; enough for several checkpoints of SQLite's log."""

FAILURES = 15
"""Number of simulated power failures in a round."""

Acknowledged = dict[int, tuple[str, str]]
"""Acknowledged writes by revision: the key, and the beginning of the value."""


def run(budget: Budget) -> dict[str, float]:
    failures = writes = 0
    with tempfile.TemporaryDirectory() as place:
        shim = library(Path(place))
        for number in budget.rounds():
            durability: Durability = "normal" if number % 3 == 2 else "full"
            directory = Path(place) / f"round-{number}"
            directory.mkdir()
            operations = written(directory, shim, durability)
            writes += len(acknowledged_in(operations))
            failures += fail_often(budget, directory, operations, durability)
            shutil.rmtree(directory)
    return {"power failures": failures, "acknowledged writes": writes}


def written(directory: Path, shim: Path, durability: Durability) -> list[Operation]:
    """Runs a process that writes to a storage; returns the file operations that the preloaded library logged.

    `shim`: the path of the library.
    """
    log = directory.with_name(f"{directory.name}.log")
    environment = {"LD_PRELOAD": str(shim), "TORTURE_DIR": str(directory), "TORTURE_LOG": str(log)}
    command = [sys.executable, "-c", WRITER, str(directory), durability, str(WRITES)]
    subprocess.run(command, check=True, env=environment, cwd=directory, timeout=patience(300))
    operations = [*read_log(log)]
    log.unlink()
    return operations


def acknowledged_in(operations: list[Operation]) -> Acknowledged:
    text = b"".join(o.data for o in operations if o.path.endswith("/acknowledgements"))
    lines = (line.split(" ") for line in text.decode().splitlines())
    return {int(revision): (key, value) for revision, key, value in lines}


def fail_often(budget: Budget, directory: Path, operations: list[Operation], durability: Durability) -> int:
    everything = acknowledged_in(operations)
    disk, newest, done = Disk(), 0, 0
    points = sorted(budget.random.randrange(len(operations)) for _ in range(FAILURES))
    for index, operation in enumerate(operations):
        while done < len(points) and points[done] == index:
            done += 1
            place = directory / f"failure-{done}"
            place.mkdir()
            disk.fail(place, budget.random)
            try:
                asyncio.run(check(place / "db", everything, newest if durability == "full" else 0))
            except (Finding, StorageError) as error:
                raise Finding(f"{durability}, power failed before operation {index}: {error}") from error
            shutil.rmtree(place)
        if operation.path.endswith("/acknowledgements"):
            newest = max([newest, *acknowledged_in([operation])])
        else:
            disk.do(operation)
    return done


async def check(path: Path, everything: Acknowledged, newest: int) -> None:
    """Opens the storage after a power failure and checks its content.

    `everything`: all acknowledged writes. Raises Finding if the storage's revision is lower than `newest`, or
    if its objects differ from the acknowledged writes up to this revision.
    """
    storage = await open_storage(path)
    try:
        revision = storage.revision
        if revision < newest:
            raise Finding(f"revision {newest} was acknowledged, {revision} is the newest that is there")
        expected: dict[str, str] = {}
        for at, (key, value) in sorted(everything.items()):
            if at <= revision:
                expected[key] = value
        expected = {key: value for key, value in expected.items() if value != "deleted-"}
        values = {entry.key: entry.value.decode().rstrip("x") for entry in storage.list("").entries}
        known = range(2, max(everything) + 1)
        if revision in {1, *known} and len(everything) == len(known) and values != expected:
            raise Finding(f"at revision {revision} there should be {expected}, there is {values}")
        await storage.create("/after", b"")
    finally:
        await storage.close()
