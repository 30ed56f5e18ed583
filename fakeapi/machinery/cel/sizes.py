"""Size ranges of values, and arithmetic that saturates.

Follows cel-go `checker/cost.go`.
"""

import math
from dataclasses import dataclass

MOST = (1 << 64) - 1
"""The maximum size or cost, which also represents unknown ones; sums and products saturate at it."""

TRAVERSAL = 0.1
"""Cost of reading one character."""

PATTERN = 0.25
"""Cost of one character of a regular expression."""


@dataclass(frozen=True, slots=True)
class Size:
    """Characters, bytes, elements or entries: at least `least`, at most `most`."""

    least: int
    most: int

    def __add__(self, other: "Size") -> "Size":
        return Size(capped(self.least + other.least), capped(self.most + other.most))

    def __mul__(self, other: "Size") -> "Size":
        return Size(capped(self.least * other.least), capped(self.most * other.most))

    def __or__(self, other: "Size") -> "Size":
        """The range that covers both sizes."""
        return Size(min(self.least, other.least), max(self.most, other.most))

    def cost(self, factor: float = TRAVERSAL) -> int:
        """The maximum cost of traversing the value, at `factor` for each character or item."""
        return scaled(self.most, factor)


UNKNOWN = Size(0, MOST)
ONE = Size(1, 1)


def fixed(size: int) -> Size:
    return Size(size, size)


def capped(number: int) -> int:
    return min(number, MOST)


def scaled(number: int, factor: float) -> int:
    return capped(math.ceil(float(number) * factor))
