"""Limits the memory of an evaluation, and the time to scan lists.

CEL's runtime cost is too low for some operations that are much slower in Python than in Go: `+` on lists,
literals with many elements, comparisons of nested lists, and results of `replace` and `format`. Functions
call `take` before they create a value, and `look` before they scan a value.
"""

from contextvars import ContextVar, Token
from types import TracebackType
from typing import NoReturn, Self

from fakeapi.machinery.cel import allowance, limits

ITEM_BYTES, ENTRY_BYTES = 8, 128
"""Bytes that an item of a list, and an entry of a map, count against the memory limit."""

_VISIT_BYTES, _LOOK_BYTES = 64, 4
"""Bytes that a scan counts against the memory limit: for the list or map, and for each of its items.

A scan needs no memory. Counting bytes limits its time.
"""

BYTES_PER_UNIT = 16
"""Number of bytes that use up one cost unit of the `Allowance`. A scan counts 16 bytes for four items."""

_DEBT_BYTES = 4096

_current: ContextVar["Memory | None"] = ContextVar("memory", default=None)


class MemoryLimitError(Exception):
    """The evaluation of a CEL expression exceeded its memory limit."""


class Memory:
    """Context manager: limits the memory of all evaluations inside it to `left` bytes in total.

    Values that are no longer used still count.
    """

    __slots__ = ("_debt", "_tokens", "left")

    def __init__(self, left: int = limits.EVALUATION_MEMORY_MAX) -> None:
        self.left = left
        self._debt = 0
        self._tokens: list[Token[Memory | None]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_current.set(self))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.reset(self._tokens.pop())

    def take(self, size: int) -> None:
        """Deducts `size` bytes. Raises MemoryLimitError if too few are left.

        Also charges the current `Allowance`, if any, whenever more than 4096 bytes are not charged yet.
        Raises AllowanceSpent if the allowance is used up.
        """
        self.left -= size
        if self.left < 0:
            raise MemoryLimitError
        self._debt += size
        if self._debt > _DEBT_BYTES:
            within, units = allowance.current(), self._debt // BYTES_PER_UNIT
            self._debt = 0
            if within is not None:
                within.pay(units)

    def check(self, size: int) -> None:
        """Raises MemoryLimitError if fewer than `size` bytes are left. Deducts nothing."""
        if size > self.left:
            raise MemoryLimitError


def take(size: int) -> None:
    """Deducts bytes from the current `Memory`, if any.

    Raises MemoryLimitError if too few bytes are left. Raises AllowanceSpent if the current `Allowance` is
    used up.
    """
    memory = _current.get()
    if memory is not None:
        memory.take(size)


def look(items: int) -> None:
    """Charges the current `Memory` for scanning a list or map with this number of items.

    Raises MemoryLimitError if too few bytes are left. Raises AllowanceSpent if the current `Allowance` is
    used up.
    """
    take(_VISIT_BYTES + items * _LOOK_BYTES)


def check(size: int) -> None:
    """Raises MemoryLimitError if the current `Memory` has fewer than `size` bytes left.

    Functions whose result may be far larger than their arguments call this before they create the result.
    """
    memory = _current.get()
    if memory is not None:
        memory.check(size)


def stop() -> NoReturn:
    """Ends the current evaluation: always raises MemoryLimitError."""
    raise MemoryLimitError
