"""History: what releases do, by name, and from which minor release on."""

from collections.abc import Mapping
from typing import Any

History = Mapping[str, Mapping[int, Any]]
"""By name: from which minor release on it is what."""


def values_at(history: History, minor: int) -> dict[str, Any]:
    """The value of each name in release 1.`minor`: that of its last change up to then."""
    return {
        name: changes[max(since for since in changes if since <= minor)] for name, changes in history.items()
    }
