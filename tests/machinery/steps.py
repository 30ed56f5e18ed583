"""Counts steps: the lines of fakeapi's Python code that a function executes.

Unlike time, these steps do not depend on the machine. Compiled code, such as a regular expression, counts as
one step. To test such code, use an input so large that the test's time limit allows only linear time.
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
"""Maximum growth factor of the steps for an input of double length; more than 2, because of logarithms."""

FEW_STEPS = 2000
"""Maximum difference in steps that tests ignore, because caches and early errors cause small differences."""


def steps_of(function: Callable[[], object]) -> int:
    """Counts the lines of fakeapi's code that the function executes. Ignores an exception of the function."""
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
    """Asserts that the steps of a function grow at most linearly with the size of its input.

    `prepared`: takes an input size and returns the function to measure. Measures three sizes: `size`, twice
    and four times `size`.
    """
    counts = [steps_of(prepared(size * factor)) for factor in (1, 2, 4)]
    for smaller, larger in pairwise(counts):
        assert larger <= RATIO_MAX * smaller + FEW_STEPS, counts
