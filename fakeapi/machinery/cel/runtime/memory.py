"""Bounds the memory and the scans of an evaluation that its cost does not count.

CEL's runtime cost ignores much that Go does quickly: `+` on lists, literals with many elements, comparisons
of nested lists, results of `replace` and `format`. Functions that copy or scan `take` bytes here before.
"""

from contextvars import ContextVar, Token
from types import TracebackType
from typing import NoReturn, Self

from fakeapi.machinery.cel import allowance

MEMORY_MAX = 64 * 1024 * 1024
"""Bytes that one evaluation may take; it then ends like one over its cost limit."""

ITEM_BYTES, ENTRY_BYTES = 8, 128
"""Bytes of an item of a list, and of an entry of a map."""

_VISIT_BYTES, _LOOK_BYTES = 64, 4
"""What looking at a list or map takes, and at each of its items: no memory, but as much time."""

BYTES_PER_UNIT = 16
"""Bytes that count as one cost unit of an `Allowance`: looking at four items takes about a microsecond."""

_DEBT_BYTES = 4096

_current: ContextVar["Memory | None"] = ContextVar("memory", default=None)


class MemoryLimitError(Exception):
    """The evaluation went over its memory limit."""


class Memory:
    """Context manager that limits what the evaluations in it take to `left` bytes.

    Nothing is given back: what an expression makes and drops counts too.
    """

    __slots__ = ("_debt", "_tokens", "left")

    def __init__(self, left: int = MEMORY_MAX) -> None:
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
        """Deducts bytes. Raises MemoryLimitError when none are left, AllowanceSpent within an `Allowance`."""
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
        """Raises MemoryLimitError if fewer bytes are left."""
        if size > self.left:
            raise MemoryLimitError


def take(size: int) -> None:
    """Deducts bytes from the memory of the running evaluation. Raises MemoryLimitError, AllowanceSpent."""
    memory = _current.get()
    if memory is not None:
        memory.take(size)


def look(items: int) -> None:
    """Deducts what looking at all items of one list or map takes. Raises MemoryLimitError, AllowanceSpent."""
    take(_VISIT_BYTES + items * _LOOK_BYTES)


def check(size: int) -> None:
    """Raises MemoryLimitError if the running evaluation has fewer bytes left.

    Functions whose result may be far larger than their arguments call it before they make the result.
    """
    memory = _current.get()
    if memory is not None:
        memory.check(size)


def stop() -> NoReturn:
    """Ends the running evaluation: raises MemoryLimitError."""
    raise MemoryLimitError
