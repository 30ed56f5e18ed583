"""Tables of values that change between minor releases."""

from collections.abc import Mapping
from typing import Any

History = Mapping[str, Mapping[int, Any]]
"""Maps each name to its values by the first minor release that has them, such as `{27: False, 33: True}`."""


def values_at(history: History, minor: int) -> dict[str, Any]:
    """Returns the value of each name in release 1.`minor`."""
    return {
        name: changes[max(since for since in changes if since <= minor)] for name, changes in history.items()
    }
