"""Attached: a value that another layer keeps with each resource, and that goes with the resource."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Attached(Generic[Value]):
    """Made by `make` for a resource when it is first asked for.

    The layers above a resource keep caches with it this way, and the resource does not know them.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make

    def of(self, attachments: "dict[Attached[Any], Any]") -> Value:
        """The value among the attachments of a resource."""
        try:
            value: Value = attachments[self]
        except KeyError:
            value = attachments[self] = self._make()
        return value
