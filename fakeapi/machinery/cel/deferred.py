"""Defers compiling many expressions, so that a server can compile them off its event loop.

Validation is one synchronous step. An object may hold hundreds of expressions of 10 KiB, and each takes a
tenth of a second to compile. The step runs within a Deferral, which compiles EVENT_LOOP_CHARACTERS_MAX
characters at once. It defers further expressions, and treats them as valid for now. If it deferred any, the
step's result or error is void: the caller compiles the deferred expressions and runs the step again, which
then finds their verdicts.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from fakeapi.machinery.cel.limits import EVENT_LOOP_CHARACTERS_MAX

Result = TypeVar("Result")

_current: ContextVar["Deferral | None"] = ContextVar("deferral", default=None)


def current() -> "Deferral | None":
    """The deferral of the running step; None if it runs without one."""
    return _current.get()


class Deferral:
    """The expressions that one step deferred, and their verdicts once compiled."""

    def __init__(self) -> None:
        self._spent = 0
        self._verdicts: dict[tuple[Callable[[str], Any], str], Any] = {}
        self._pending: dict[tuple[Callable[[str], Any], str], None] = {}

    def run(self, step: Callable[[], Result]) -> Result:
        """Runs a step within this deferral, and returns its result."""
        self._spent = 0
        token = _current.set(self)
        try:
            return step()
        finally:
            _current.reset(token)

    def verdict(self, compile_: Callable[[str], Any], text: str) -> Any:
        """Returns the verdict of `compile_`; None if the expression is deferred."""
        key = compile_, text
        if key in self._verdicts:
            return self._verdicts[key]
        if not self._pending and self._spent + len(text) <= EVENT_LOOP_CHARACTERS_MAX:
            self._spent += len(text)
            return compile_(text)
        self._pending[key] = None
        return None

    @property
    def is_pending(self) -> bool:
        """Whether the step deferred an expression, so that its result or error is void."""
        return bool(self._pending)

    def compile_next(self) -> None:
        """Compiles one of the deferred expressions. May run in another thread than the step."""
        key = next(iter(self._pending))
        compile_, text = key
        self._verdicts[key] = compile_(text)
        del self._pending[key]
