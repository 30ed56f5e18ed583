"""Bounds the memory and the scans of an evaluation, which its cost does not fully count.

CEL's runtime cost ignores operations that are fast in Go: `+` on lists, literals with many elements,
comparisons of nested lists, results of `replace` and `format`. Functions call `take` before they copy, and
`look` before they scan.
"""

from contextvars import ContextVar, Token
from types import TracebackType
from typing import NoReturn, Self

from fakeapi.machinery.cel import allowance, limits

ITEM_BYTES, ENTRY_BYTES = 8, 128
"""Bytes of memory charged for an item of a list, and for an entry of a map."""

_VISIT_BYTES, _LOOK_BYTES = 64, 4
"""Bytes charged for scanning a list or map, and for each of its items; they represent time, not memory."""

BYTES_PER_UNIT = 16
"""Bytes that count as one cost unit of an `Allowance`: scanning four items takes about a microsecond."""

_DEBT_BYTES = 4096

_current: ContextVar["Memory | None"] = ContextVar("memory", default=None)


class MemoryLimitError(Exception):
    """An evaluation of a CEL expression exceeded its memory limit."""


class Memory:
    """Context manager that limits the memory of all evaluations within it to `left` bytes.

    The limit includes values that the expressions have created and dropped.
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
        """Deducts bytes. Raises MemoryLimitError if too few are left.

        Also charges the running `Allowance`, if there is one, and may raise its AllowanceSpent.
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
        """Raises MemoryLimitError if fewer than `size` bytes are left."""
        if size > self.left:
            raise MemoryLimitError


def take(size: int) -> None:
    """Deducts bytes from the memory of the running evaluation, if there is one.

    Raises MemoryLimitError or AllowanceSpent.
    """
    memory = _current.get()
    if memory is not None:
        memory.take(size)


def look(items: int) -> None:
    """Charges the running evaluation for scanning a list or map with this number of items.

    Raises MemoryLimitError or AllowanceSpent.
    """
    take(_VISIT_BYTES + items * _LOOK_BYTES)


def check(size: int) -> None:
    """Raises MemoryLimitError if the running evaluation has fewer than `size` bytes left.

    Functions whose result may be far larger than their arguments call this before they create the result.
    """
    memory = _current.get()
    if memory is not None:
        memory.check(size)


def stop() -> NoReturn:
    """Ends the running evaluation: always raises MemoryLimitError."""
    raise MemoryLimitError
