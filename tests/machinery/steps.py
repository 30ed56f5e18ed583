"""Counts the steps of a function, which are the lines of fakeapi that it runs.

Unlike time, steps do not depend on the machine. Compiled code, such as the matching of a pattern, is one
step. Test such code with an input so large that more than linear time exceeds the test's time limit.
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
"""Maximum growth factor of the steps for an input twice as long; over 2, because of logarithms."""

FEW_STEPS = 2000
"""Differences up to this number of steps are ignored, because caches and early errors cause them."""


def steps_of(function: Callable[[], object]) -> int:
    """Counts the lines of fakeapi that the function runs. An exception ends the function and is ignored."""
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
    except Exception:  # noqa: BLE001 - an error is a result too
        pass
    finally:
        sys.settrace(before)
    return count


def assert_linear(prepared: Callable[[int], Callable[[], object]], size: int) -> None:
    """Asserts that the steps grow linearly when the size doubles and quadruples.

    `prepared`: returns the function to measure for a size.
    """
    counts = [steps_of(prepared(size * factor)) for factor in (1, 2, 4)]
    for smaller, larger in pairwise(counts):
        assert larger <= RATIO_MAX * smaller + FEW_STEPS, counts
