"""Compares this checkout with another commit. Both use the Python packages of this environment.

The script measures both alternately, in several turns. A row shows the lowest CPU time of all turns, or the
first decile for requests. So other work on the machine affects both equally, and a difference of a few
percent is visible on a busy machine too.
"""

import asyncio
import contextlib
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from benchmarks.claims import CLAIMS, Make, named_creates, one_object
from benchmarks.journal import cost_of
from benchmarks.load import drive, request
from benchmarks.servers import HERE, fakeapi
from benchmarks.starting import STARTS
from benchmarks.tables import heading, milliseconds, row

PARTS = ("start", "verbs")
CONNECTIONS = 16
OBJECTS = 2_000
NOISE = 0.03
"""Differences up to this share are not marked as a change."""

Costs = tuple[float, float]
"""A figure of the other commit, and the same figure of this checkout."""


class UnknownRevision(Exception):
    """Raised if git does not know the other commit. The message is one line for the user."""


def bench_against(revision: str, parts: Collection[str], *, quick: bool) -> None:
    """Prints a table of CPU times: the other commit, this checkout, and their ratio.

    Raises UnknownRevision if git cannot read the commit.
    """
    with checkout(revision) as other:
        if "start" in parts:
            heading(f"Starting, CPU, against {revision}", revision, "this checkout", "ratio", "")
            for start in STARTS:
                if not (other / start.package).exists():
                    row(start.name, f"no {start.package}", "", "", "")
                    continue
                costs = lowest_in_turn(start.seconds, (other, HERE.parent), 3 if quick else 15)
                _row(start.name, costs, *map(milliseconds, costs))
        if "verbs" in parts:
            heading(f"Requests, server CPU, against {revision}", revision, "this checkout", "ratio", "")
            asyncio.run(_bench_verbs(other, 12 if quick else 60))


@contextlib.contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """Writes the files of a commit into a temporary folder while the block lasts; yields the folder.

    Raises UnknownRevision if git is not installed or cannot read the commit.
    """
    command = ["git", "archive", "--format=tar", revision, "fakeapi", "storage"]
    try:
        archive = subprocess.run(command, cwd=HERE.parent, capture_output=True, check=False)
    except OSError as error:
        raise UnknownRevision(f"git cannot read {revision!r}: {error}") from None
    if archive.returncode:
        reason = archive.stderr.decode(errors="replace").strip().splitlines()
        raise UnknownRevision(f"git cannot read {revision!r}: {reason[0] if reason else 'no reason given'}")
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


def lowest_in_turn(seconds: Callable[[Path], float], trees: tuple[Path, Path], turns: int) -> Costs:
    """Measures two checkouts in turn; returns the lowest figure of each.

    The first turn of each is not counted, because it compiles modules to bytecode.
    """
    for tree in trees:
        seconds(tree)
    figures: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns):
        for which in (0, 1) if turn % 2 else (1, 0):
            figures[which].append(seconds(trees[which]))
    return min(figures[0]), min(figures[1])


async def _bench_verbs(other: Path, turns: int) -> None:
    with fakeapi(tree=other) as before, fakeapi() as now:
        for port, _ in (before, now):
            await drive(port, named_creates("s"), OBJECTS, CONNECTIONS)
        for name, make in rows_of_requests().items():
            cost = await cost_of((before, now), make, turns)
            costs = cost.on, cost.off
            _row(name, costs, *(f"{figure:.0f} µs" for figure in costs))


def rows_of_requests() -> dict[str, Make]:
    """Returns functions that build requests, by the name of the row. No request deletes an object."""
    rows = {name: _cycled(name, make) for name, make in one_object(OBJECTS).items() if name != "delete"}
    page = request("GET", f"{CLAIMS}?limit=100")
    return {**rows, "page of 100": lambda _: page}


def _cycled(name: str, make: Make) -> Make:
    """Returns a function that starts again with the first object after the last object.

    For creates, returns `make`, because each created object needs a new name.
    """
    return make if name == "create" else lambda number: make(number % OBJECTS)


def _row(name: str, costs: Costs, *cells: str) -> None:
    ratio = costs[1] / costs[0]
    row(name, *cells, f"{ratio:.2f}", verdict(ratio))


def verdict(ratio: float) -> str:
    """Returns "less" or "**more**" if this checkout takes less or more time than the other commit.

    `ratio`: the time of this checkout, divided by the time of the other commit. Returns "" if the ratio
    differs from 1 by at most NOISE.
    """
    if abs(ratio - 1) <= NOISE:
        return ""
    return "less" if ratio < 1 else "**more**"
