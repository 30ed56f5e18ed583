"""Counts the steps of a function: the lines of fakeapi that it runs.

Unlike time, steps do not depend on the machine. Compiled code, such as the matching of a pattern, is one
step. Give such code an input so large that more than linear time exceeds the test's time limit.
"""

import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import fakeapi

_HERE = str(Path(fakeapi.__file__).parent)

RATIO_MAX = 2.3
"""Most growth of the steps for a doubled input: a little more than 2, for logarithms."""

FEW_STEPS = 2000
"""Differences of steps below this are noise of caches and of early refusals."""


def steps_of(function: Callable[[], object]) -> int:
    """Counts the lines of fakeapi that the function runs; an error ends the function."""
    count = 0

    def line(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return line

    def call(frame: FrameType, _event: str, _argument: Any) -> Any:
        return line if frame.f_code.co_filename.startswith(_HERE) else None

    before = sys.gettrace()
    sys.settrace(call)
    try:
        function()
    except Exception:  # noqa: BLE001 - a refusal is as good as a result
        pass
    finally:
        sys.settrace(before)
    return count


def assert_linear(prepared: Callable[[int], Callable[[], object]], size: int) -> None:
    """Asserts that for twice and four times the size, steps grow no faster than the size.

    `prepared` returns the function to measure for a size.
    """
    counts = [steps_of(prepared(size * factor)) for factor in (1, 2, 4)]
    for smaller, larger in pairwise(counts):
        assert larger <= RATIO_MAX * smaller + FEW_STEPS, counts
