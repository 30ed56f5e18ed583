"""Counts the steps of a function: the lines of fakeapi that it runs. The same on every machine, unlike time.

What compiled code does in one step, such as matching a pattern, is not seen here: give such code an input
large enough that anything but linear would meet the test's own time limit.
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
"""Twice the input may take so many times the steps: a little more than twice, for logarithms."""

FEW_STEPS = 2000
"""Differences below this are noise of caches and of inputs that are refused at once."""


def steps_of(function: Callable[[], object]) -> int:
    """How many lines of fakeapi run. An error of the function counts as its end."""
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
    """Asserts that twice and four times the size take no more than twice and four times the steps.

    `prepared` makes the function to be measured for a size.
    """
    counts = [steps_of(prepared(size * factor)) for factor in (1, 2, 4)]
    for smaller, larger in pairwise(counts):
        assert larger <= RATIO_MAX * smaller + FEW_STEPS, counts
