"""Attached: a value that another layer stores on a resource, for as long as the resource exists."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Attached(Generic[Value]):
    """A value of each resource, such as a cache. `make` creates the value when it is first read.

    With this class, other layers store caches on a resource, although the resource does not import these
    layers.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make

    def of(self, attachments: "dict[Attached[Any], Any]") -> Value:
        """Returns the value from the attachments of a resource; creates it at the first call."""
        try:
            value: Value = attachments[self]
        except KeyError:
            value = attachments[self] = self._make()
        return value
