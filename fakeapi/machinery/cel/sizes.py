"""Size ranges of CEL values. Sums and products stop at a maximum instead of overflowing.

Follows cel-go `checker/cost.go`.
"""

import math

import msgspec

MOST = (1 << 64) - 1
"""The maximum size or cost; also means an unknown size. Larger sums and products become this value."""

TRAVERSAL = 0.1
"""CEL cost units for reading one character."""

PATTERN = 0.25
"""CEL cost units for one character of a regular expression."""


class Size(msgspec.Struct, frozen=True):
    """A range of sizes: from `least` to `most` characters, bytes, elements or entries."""

    least: int
    most: int

    def __add__(self, other: "Size") -> "Size":
        return Size(capped(self.least + other.least), capped(self.most + other.most))

    def __mul__(self, other: "Size") -> "Size":
        return Size(capped(self.least * other.least), capped(self.most * other.most))

    def __or__(self, other: "Size") -> "Size":
        """Returns the smallest range that contains both ranges."""
        return Size(min(self.least, other.least), max(self.most, other.most))

    def cost(self, factor: float = TRAVERSAL) -> int:
        """Returns the maximum cost of reading a value of this size.

        `factor`: the cost units for each character or item.
        """
        return scaled(self.most, factor)


UNKNOWN = Size(0, MOST)
ONE = Size(1, 1)


def fixed(size: int) -> Size:
    return Size(size, size)


def capped(number: int) -> int:
    return min(number, MOST)


def scaled(number: int, factor: float) -> int:
    return capped(math.ceil(float(number) * factor))
