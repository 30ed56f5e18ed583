"""Sorts names in natural order: node-2 comes before node-10."""

from fakeapi.machinery.lazy_pattern import lazy_pattern

_DIGITS = lazy_pattern(r"([0-9]+)")

Key = tuple[tuple[str, int], ...]


def natural_key(name: str) -> Key:
    """Returns the sort key of a name. Keys compare numbers by their value, and other parts as text."""
    parts = _DIGITS.split(name)
    # The parts alternate: text, number, text and so on.
    numbers = [*map(int, parts[1::2]), -1]
    return tuple(zip(parts[::2], numbers, strict=True))
