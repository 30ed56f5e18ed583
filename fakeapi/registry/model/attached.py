"""Attached: a value that another layer stores on each resource and that lives as long as the resource."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Attached(Generic[Value]):
    """A value per resource, created by `make` when it is first read.

    The layers above a resource store their caches on it in this way, without the resource knowing them.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make

    def of(self, attachments: "dict[Attached[Any], Any]") -> Value:
        """Returns the value among the attachments of a resource; creates it at the first call."""
        try:
            value: Value = attachments[self]
        except KeyError:
            value = attachments[self] = self._make()
        return value
