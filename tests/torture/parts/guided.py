"""Fuzzes the parsers with atheris. Its coverage guidance finds cases that random damage seldom finds.

This part needs atheris, which is not one of the project's own tools: `.venv/bin/pip install atheris`.
"""

import importlib.util
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.torture.budget import Budget, Finding, Unavailable, patience
from tests.torture.targets import TARGETS

SECONDS_AT_LEAST = 4.0
"""Minimum seconds for fuzzing one parser. The instrumented import takes two of these seconds."""

SECONDS_AT_MOST = 60.0
OVERTIME_SECONDS = 60.0
ROOT = Path(__file__).parents[3]
RUNS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def run(budget: Budget) -> dict[str, float]:
    if importlib.util.find_spec("atheris") is None:
        raise Unavailable("atheris is not installed")
    names = [*TARGETS]
    budget.random.shuffle(names)
    seconds = min(SECONDS_AT_MOST, max(SECONDS_AT_LEAST, budget.seconds / len(names)))
    inputs = parsers = 0
    for number in budget.rounds():
        inputs += fuzz(names[number % len(names)], seconds, budget)
        parsers = min(len(names), number + 1)
    return {"inputs": inputs, "parsers": parsers}


def fuzz(name: str, seconds: float, budget: Budget) -> int:
    """Fuzzes the parser `name` in another process; returns the number of inputs that atheris tried.

    `seconds`: the duration. Raises Finding with the input if the fuzzer finds a failure or does not end.
    """
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "tests.torture.guided", name, f"{seconds:.0f}"]
        command += [f"{budget.random.randrange(1 << 31)}", place]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False,
                timeout=seconds + patience(OVERTIME_SECONDS),
            )  # fmt: skip
        except subprocess.TimeoutExpired as late:
            raise Finding(f"{name}: the fuzzer did not end within {late.timeout:.0f} s") from late
        output = done.stdout + done.stderr
        match = RUNS.search(output)
        if done.returncode or match is None:
            inputs = [path.read_bytes() for path in Path(place).glob("*-*") if "seed-" not in path.name]
            raise Finding(f"{name}: {inputs}\n{output[-3_000:]}")
        return int(match[1])
