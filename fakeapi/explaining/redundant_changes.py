"""Removes changes of several nodes that another node makes unnecessary."""

from collections.abc import Sequence
from functools import cmp_to_key

from fakeapi.explaining.device_changes import CAPACITY_PATH
from fakeapi.explaining.model import Change
from fakeapi.machinery.meta import quantity

_COUNT_PATH = ".count"


def without_redundant(changes: Sequence[Change]) -> list[Change]:
    """Removes changes that ask more of the user than the same change for another node.

    - Of the changes that request less capacity or fewer devices, keeps the change with the largest value.
    - Of the changes that add devices of one driver, keeps the first change with the fewest devices.
    """
    capacity = _largest([change for change in changes if change.path.endswith(CAPACITY_PATH)])
    counts: dict[str, int] = {}
    added: dict[tuple[str, str], Change] = {}
    for change in changes:
        if _is_count(change):
            counts[change.path] = max(counts.get(change.path, 0), change.count)
        elif change.action == "add":
            known = added.setdefault((change.driver, change.path), change)
            if change.count < known.count:
                added[change.driver, change.path] = change
    return [
        change
        for change in changes
        if (not change.path.endswith(CAPACITY_PATH) or change.value == capacity)
        and (not _is_count(change) or change.count == counts[change.path])
        and (change.action != "add" or added[change.driver, change.path] is change)
    ]


def _is_count(change: Change) -> bool:
    return change.action == "edit" and change.path.endswith(_COUNT_PATH)


def _largest(changes: Sequence[Change]) -> str:
    return max((change.value for change in changes), key=cmp_to_key(quantity.compare), default="")
