"""Parses the index lists in the status of indexed Jobs, such as `1,3-5`."""

from collections.abc import Iterator

from fakeapi.machinery.golang.numbers import parse_int
from fakeapi.machinery.golang.strconv import quote


class MalformedIndexes(ValueError):
    """Raised for a malformed index list. Has upstream's message."""


def count_indexes(text: str, completions: int) -> int:
    """Returns the number of indexes in a list such as `1,3-5`.

    Raises MalformedIndexes if the list is malformed or an index is not below `completions`.
    """
    last, total = -1, 0
    if not text:
        return 0
    for fragment in text.split(","):
        first, end = _interval(fragment, completions)
        if total and last >= first:
            raise MalformedIndexes(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def overlap(completed: str, failed: str, completions: int) -> int | None:
    """Returns the first index that is in both index lists; None if the lists have no common index.

    Skips malformed parts of the lists. `completions`: the number of indexes of the Job.
    """
    if not completed or not failed:
        return None
    ones, others = _intervals(completed, completions), _intervals(failed, completions)
    one, other = next(ones, None), next(others, None)
    while one is not None and other is not None:
        if one[0] <= other[1] and other[0] <= one[1]:
            return max(one[0], other[0])
        if one[0] <= other[0]:
            one = next(ones, None)
        else:
            other = next(others, None)
    return None


def _intervals(text: str, completions: int) -> Iterator[tuple[int, int]]:
    for fragment in text.split(","):
        try:
            yield _interval(fragment, completions)
        except MalformedIndexes:
            continue


def _interval(fragment: str, completions: int) -> tuple[int, int]:
    ends = fragment.split("-")
    if len(ends) > 2:
        raise MalformedIndexes(
            f"the fragment {quote(fragment)} violates the requirement that an index interval can have "
            f"at most "
            "two parts separated by '-'"
        )
    first = _index(ends[0], completions)
    if len(ends) == 1:
        return first, first
    last = _index(ends[1], completions)
    if first >= last:
        raise MalformedIndexes(f"non-increasing order, previous: {first}, current: {last}")
    return first, last


def _index(text: str, completions: int) -> int:
    try:
        index = parse_int(text)
    except ValueError:
        raise MalformedIndexes(f"cannot convert string to integer for index: {quote(text)}") from None
    if index >= completions:
        raise MalformedIndexes(f"too large index: {quote(text)}")
    return index
