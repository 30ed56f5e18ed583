"""Tables of values that change between minor releases."""

from collections.abc import Mapping
from typing import Any

History = Mapping[str, Mapping[int, Any]]
"""By name: the values, each with the minor release from which it applies: `{27: False, 33: True}`."""


def values_at(history: History, minor: int) -> dict[str, Any]:
    """The value of each name in release 1.`minor`."""
    return {
        name: changes[max(since for since in changes if since <= minor)] for name, changes in history.items()
    }
