"""Runs the torture suite: `python -m tests.torture.run [--minutes N] [--only PART …] [--seed N]`.

Each part (a module of `tests.torture.parts`) gets an equal share of the time and its own process. The command
kills a part that does not end by itself. The exit status is 1 if a part finds a failure.
"""

import argparse
import importlib
import json
import pkgutil
import random
import subprocess
import sys
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path

from tests.torture import parts
from tests.torture.budget import Budget, Finding, Unavailable, patience

ROOT = Path(__file__).parents[2]
MINUTES = 4.0
OVERTIME_SECONDS = 600.0
"""Maximum seconds for a part to end its last round and clean up; longer than all timeouts of the part."""


@dataclass
class Outcome:
    """The result of a part of the torture suite.

    - `state`: "ok", "found", "skipped" or "broken".
    - `text`: the reason for the state.
    - `figures`: the counts that the part returned.
    """

    part: str
    state: str
    text: str = ""
    figures: dict[str, float] = field(default_factory=dict)


def part_names() -> list[str]:
    return [module.name for module in pkgutil.iter_modules(parts.__path__)]


def run_here(name: str, seconds: float, seed: int) -> Outcome:
    part = importlib.import_module(f"tests.torture.parts.{name}")
    try:
        return Outcome(name, "ok", figures=part.run(Budget(seconds, seed)))
    except Finding as finding:
        return Outcome(name, "found", str(finding))
    except Unavailable as reason:
        return Outcome(name, "skipped", str(reason))
    except Exception:  # noqa: BLE001 - the other parts must run
        return Outcome(name, "broken", traceback.format_exc())


def run_apart(name: str, seconds: float, seed: int) -> Outcome:
    command = [sys.executable, "-m", "tests.torture.run", "--here", name]
    command += ["--minutes", str(seconds / 60), "--seed", str(seed)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds + patience(OVERTIME_SECONDS),
        )
    except subprocess.TimeoutExpired as late:
        return Outcome(name, "found", f"it did not end within {late.timeout:.0f} s")
    *_, last = done.stdout.splitlines() or [""]
    try:
        return Outcome(**json.loads(last))
    except (ValueError, TypeError):
        return Outcome(name, "broken", f"exit status {done.returncode}\n{done.stdout}{done.stderr}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help=f"for all parts (default: {MINUTES:g})"
    )
    parser.add_argument("--only", nargs="*", choices=part_names(), help="these parts (default: all)")
    parser.add_argument("--seed", type=int, help="repeats a run (default: another one each time)")
    parser.add_argument("--here", choices=part_names(), help=argparse.SUPPRESS)
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    if options.here:
        say(json.dumps(vars(run_here(options.here, options.minutes * 60, seed))))
        return 0
    names = options.only or part_names()
    say(f"{len(names)} parts, {options.minutes:g} minutes, seed {seed}")
    outcomes = []
    for name in names:
        begun = time.monotonic()
        outcome = run_apart(name, options.minutes * 60 / len(names), seed)
        outcomes.append(outcome)
        figures = ", ".join(f"{value:,.10g} {key}" for key, value in outcome.figures.items())
        say(f"{name:16} {outcome.state:8} {time.monotonic() - begun:6.0f} s  {figures or outcome.text}")
    return int(any(outcome.state in {"found", "broken"} for outcome in outcomes))


def say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - the output of a command


if __name__ == "__main__":
    sys.exit(main())
