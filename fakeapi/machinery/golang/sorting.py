"""Sorts like Go's `sort.SliceStable`, for comparisons that are not a consistent order.

With an inconsistent comparison, the result depends on which elements the algorithm compares. So this module
copies Go's algorithm: insertion sort in blocks of 20, then SymMerge by Kim and Kutzner. For a consistent
order, Python's sort gives the same result.
"""

from collections.abc import Callable
from typing import Any

_BLOCK = 20


def slice_stable(items: list[Any], less: Callable[[Any, Any], bool]) -> list[Any]:
    """Returns a sorted copy of `items`, with the same comparisons as Go's sort.SliceStable."""
    result = list(items)
    size = len(result)
    for start in range(0, size, _BLOCK):
        _insertion_sort(result, less, start, min(start + _BLOCK, size))
    block = _BLOCK
    while block < size:
        for start in range(0, size - block, 2 * block):
            _merge(result, less, start, start + block, min(start + 2 * block, size))
        block *= 2
    return result


def _insertion_sort(items: list[Any], less: Callable[[Any, Any], bool], first: int, end: int) -> None:
    for index in range(first + 1, end):
        at = index
        while at > first and less(items[at], items[at - 1]):
            items[at], items[at - 1] = items[at - 1], items[at]
            at -= 1


def _merge(items: list[Any], less: Callable[[Any, Any], bool], first: int, middle: int, end: int) -> None:
    """Merges two adjacent sorted ranges in place: `first` to `middle`, and `middle` to `end`."""
    pending = [(first, middle, end)]
    while pending:
        first, middle, end = pending.pop()
        if middle - first == 1:
            place, high, item = middle, end, items[first]
            while place < high:
                at = (place + high) // 2
                place, high = (at + 1, high) if less(items[at], item) else (place, at)
            items.insert(place - 1, items.pop(first))
            continue
        if end - middle == 1:
            place, high, item = first, middle, items[middle]
            while place < high:
                at = (place + high) // 2
                place, high = (place, at) if less(item, items[at]) else (at + 1, high)
            items.insert(place, items.pop(middle))
            continue
        half = (first + end) // 2
        mirrored = half + middle
        start, high = (mirrored - end, half) if middle > half else (first, middle)
        while start < high:
            at = (start + high) // 2
            start, high = (start, at) if less(items[mirrored - 1 - at], items[at]) else (at + 1, high)
        stop = mirrored - start
        if start < middle < stop:
            items[start:stop] = items[middle:stop] + items[start:middle]
        if half < stop < end:
            pending.append((half, stop, end))
        if first < start < half:
            pending.append((first, start, half))
