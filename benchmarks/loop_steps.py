"""Runs `fakeapi serve` and measures the steps of its event loop, because each step keeps all clients waiting.

    python benchmarks/loop_steps.py [--steps-file FILE] [--profile-file FILE] --controllers scheduler …

All times are CPU time of the event loop's thread, so other work on the machine hardly changes them. On each
SIGUSR1, the script writes the measurements since the previous SIGUSR1 to the steps file. A turn is one round
of the event loop. A request waits for the rest of the current turn before the server reads the request. With
`--profile-file`, the script also writes a profile of cProfile, which makes the server much slower.
"""

# ruff: noqa: SLF001 - the event loop has no public hooks

import argparse
import asyncio
import cProfile
import gc
import json
import signal
import sys
from asyncio import base_events, events
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import thread_time
from typing import Any

LONG_SECONDS = 0.005
"""A step counts as long if it takes at least this number of CPU seconds."""
MEASURED = b"GET /api/v1/namespaces/sched HTTP"
"""The first bytes of the requests for which the time from the read to the response is measured."""
QUANTILES = (("p50", 0.5), ("p99", 0.99), ("p999", 0.999), ("max", 1.0))


@dataclass(slots=True)
class Steps:
    """The measurements since the last report.

    - `turns`: the time of each turn.
    - `waits`: the time from the read of each MEASURED request to its response.
    - `long`: the times of long steps, by the names of their coroutines.
    - `collections`: the generation and the time of each garbage collection.
    - `freed`: the number of objects that garbage collections have freed.
    """

    turns: list[float] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    long: "defaultdict[str, list[float]]" = field(default_factory=lambda: defaultdict(list))
    collections: list[tuple[int, float]] = field(default_factory=list)
    freed: int = 0

    def report(self) -> dict[str, Any]:
        """Returns the measurements; all times are in ms."""
        times = [seconds for _, seconds in self.collections]
        return {
            "turns": {"count": len(self.turns), **quantiles(self.turns)},
            "turn of a request, by time": by_time(self.turns),
            "waits": {"count": len(self.waits), **quantiles(self.waits)},
            "long steps": {
                name: {"count": len(steps), "max": in_ms(max(steps))} for name, steps in self.long.items()
            },
            "collections": {
                "count": len(times),
                "sum": in_ms(sum(times)),
                "max": in_ms(max(times, default=0.0)),
                "freed": self.freed,
            },
        }


def in_ms(seconds: float) -> float:
    return round(1e3 * seconds, 2)


def quantiles(times: list[float]) -> dict[str, float]:
    """Returns the quantiles of times in ms. `times`: the times in seconds."""
    ordered = sorted(times)
    last = len(ordered) - 1
    return {name: in_ms(ordered[min(int(part * len(ordered)), last)]) for name, part in QUANTILES if ordered}


def by_time(turns: list[float]) -> dict[str, float]:
    """Returns, in ms, the quantiles of the turn in which a request arrives.

    A request arrives more often in a long turn than in a short turn.
    """

    def found() -> Iterator[tuple[str, float]]:
        parts, total, seen = list(QUANTILES), sum(turns), 0.0
        for turn in sorted(turns):
            seen += turn
            while parts and seen >= parts[0][1] * total * 0.999_999:
                yield parts.pop(0)[0], in_ms(turn)

    return dict(found())


def measure(steps: Steps) -> None:
    """Replaces methods of asyncio by methods that also measure turns, steps and waits.

    Also measures garbage collections.
    """
    _measure_steps(steps)
    _measure_waits(steps)
    began = [0.0]

    def collected(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            began[0] = thread_time()
        else:
            steps.collections.append((info["generation"], thread_time() - began[0]))
            steps.freed += info["collected"]

    gc.callbacks.append(collected)


def _measure_steps(steps: Steps) -> None:
    loop: Any = base_events.BaseEventLoop
    handle: Any = events.Handle
    run_turn, run_step = loop._run_once, handle._run
    turn = [0.0]

    def step(self: Any) -> None:
        began, before = thread_time(), place_of(self)
        run_step(self)
        seconds = thread_time() - began
        turn[0] += seconds
        if seconds >= LONG_SECONDS:
            steps.long[f"{before} -> {place_of(self)}"].append(seconds)

    def once(self: Any) -> None:
        turn[0] = 0.0
        run_turn(self)
        steps.turns.append(turn[0])

    loop._run_once, handle._run = once, step


def _measure_waits(steps: Steps) -> None:
    reader: Any = asyncio.StreamReader
    writer: Any = asyncio.StreamWriter
    feed_data, write_data = reader.feed_data, writer.write
    asked: dict[Any, float] = {}

    def feed(self: Any, data: bytes) -> None:
        if data.startswith(MEASURED):
            asked[self._transport] = thread_time()
        feed_data(self, data)

    def write(self: Any, data: bytes) -> None:
        since = asked.pop(self.transport, None)
        if since is not None:
            steps.waits.append(thread_time() - since)
        write_data(self, data)

    reader.feed_data, writer.write = feed, write


def place_of(handle: Any) -> str:
    """Returns the names of the coroutines in which a step's task waits: the first, and the last four others.

    Returns the name of the step's function if the step belongs to no task.
    """
    task = getattr(getattr(handle, "_callback", None), "__self__", None)
    if not isinstance(task, asyncio.Task):
        callback = getattr(handle, "_callback", None)
        return str(getattr(callback, "__qualname__", callback))
    names: list[str] = []
    waits: Any = task.get_coro()
    while waits is not None and hasattr(waits, "cr_frame"):
        names.append(waits.__qualname__.rpartition("<locals>.")[2])
        waits = waits.cr_await
    return "/".join([*names[:1], *names[1:][-4:]])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--steps-file", type=Path)
    options.add_argument("--profile-file", type=Path)
    arguments, served = options.parse_known_args()
    steps, profile = Steps(), cProfile.Profile()
    if arguments.steps_file:
        measure(steps)

    def report(*_: object) -> None:
        if arguments.steps_file:
            arguments.steps_file.write_text(json.dumps(steps.report(), indent=1), encoding="utf-8")
            for times in (steps.turns, steps.waits, steps.long, steps.collections):
                times.clear()
            steps.freed = 0
        if arguments.profile_file:
            profile.dump_stats(arguments.profile_file)
            profile.clear()
            profile.enable()

    signal.signal(signal.SIGUSR1, report)
    sys.argv[1:] = ["serve", *served]
    from fakeapi.cli.main import main as run

    if arguments.profile_file:
        profile.enable()
    run()


if __name__ == "__main__":
    main()
