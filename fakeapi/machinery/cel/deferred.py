"""Defers compiling many expressions, so that a server can compile them off its event loop.

Validation is one synchronous step. An object may contain hundreds of expressions of 10 KiB, and each takes a
tenth of a second to compile. The step runs within a `Deferral`, which compiles the first
EVENT_LOOP_CHARACTERS_MAX characters immediately. The deferral skips further expressions, as if they were
valid. If it skipped any, the result or error of the step is void: the caller compiles the skipped expressions
and runs the step again.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from fakeapi.machinery.cel.limits import EVENT_LOOP_CHARACTERS_MAX

Result = TypeVar("Result")

_current: ContextVar["Deferral | None"] = ContextVar("deferral", default=None)


def current() -> "Deferral | None":
    """Returns the `Deferral` of the current context; None without a deferral."""
    return _current.get()


class Deferral:
    """A list of expressions whose compilation is deferred, with their verdicts after compilation."""

    def __init__(self) -> None:
        self._spent = 0
        self._verdicts: dict[tuple[Callable[[str], Any], str], Any] = {}
        self._pending: dict[tuple[Callable[[str], Any], str], None] = {}

    def run(self, step: Callable[[], Result]) -> Result:
        """Calls `step` within this deferral and returns its result, which is void if `is_pending`."""
        self._spent = 0
        token = _current.set(self)
        try:
            return step()
        finally:
            _current.reset(token)

    def verdict(self, compile_: Callable[[str], Any], text: str) -> Any:
        """Returns the verdict of `compile_` on an expression; None if its compilation is deferred."""
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
        """Whether deferred expressions are not compiled yet; the result or error of `run` is then void."""
        return bool(self._pending)

    def compile_next(self) -> None:
        """Compiles the next deferred expression; may run in another thread than `run`."""
        key = next(iter(self._pending))
        compile_, text = key
        self._verdicts[key] = compile_(text)
        del self._pending[key]
