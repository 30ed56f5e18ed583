"""Puts off compiling many expressions at once, so that a server can do it beside its event loop.

Validation is one synchronous step, and an object may hold hundreds of expressions of 10 KiB, each of which
takes a tenth of a second to compile. The step runs within a Deferral: once it has compiled AT_ONCE_MAX
characters, the expressions that follow are noted, and count as right for now. If any were noted, the step's
result or error is void: the caller compiles them and runs the step again, which then finds their verdicts.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

AT_ONCE_MAX = 20 * 1024
"""Characters of expressions that one step compiles itself: those of almost every object that there is."""

Result = TypeVar("Result")

_current: ContextVar["Deferral | None"] = ContextVar("deferral", default=None)


def current() -> "Deferral | None":
    """The deferral that the running step is in."""
    return _current.get()


class Deferral:
    """Expressions that one step put off, and the verdicts found for them since."""

    def __init__(self) -> None:
        self._spent = 0
        self._verdicts: dict[tuple[Callable[[str], Any], str], Any] = {}
        self._pending: dict[tuple[Callable[[str], Any], str], None] = {}

    def run(self, step: Callable[[], Result]) -> Result:
        """The result or error of a step that runs within this deferral."""
        self._spent = 0
        token = _current.set(self)
        try:
            return step()
        finally:
            _current.reset(token)

    def verdict(self, compile_: Callable[[str], Any], text: str) -> Any:
        """The verdict of `compile_`, or None where it is put off."""
        key = compile_, text
        if key in self._verdicts:
            return self._verdicts[key]
        if not self._pending and self._spent + len(text) <= AT_ONCE_MAX:
            self._spent += len(text)
            return compile_(text)
        self._pending[key] = None
        return None

    @property
    def is_pending(self) -> bool:
        """Whether the step put something off, so that its result or error is void."""
        return bool(self._pending)

    def compile_next(self) -> None:
        """Compiles one of the expressions that were put off. May run in another thread than the step."""
        key = next(iter(self._pending))
        compile_, text = key
        self._verdicts[key] = compile_(text)
        del self._pending[key]
