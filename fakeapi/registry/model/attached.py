"""Attached: a value that another module stores on a Resource, for as long as the Resource exists."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Attached(Generic[Value]):
    """A value of each Resource, such as a cache. The function `make` creates the value at its first use.

    With this class, other modules can store caches on a Resource, although Resource does not import them.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make

    def of(self, attachments: "dict[Attached[Any], Any]") -> Value:
        """Returns the value in the attachments of a Resource; creates the value at the first call."""
        try:
            value: Value = attachments[self]
        except KeyError:
            value = attachments[self] = self._make()
        return value
