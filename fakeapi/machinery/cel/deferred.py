"""Defers compiling CEL expressions, so that the server can compile many of them outside its event loop.

Validation of an object is one synchronous function. An object may contain hundreds of expressions of 10 KiB,
and each takes a tenth of a second to compile. The server calls the function within a `Deferral`, which
compiles the first EVENT_LOOP_CHARACTERS_MAX characters immediately. The deferral skips further expressions,
as if they were valid. If the deferral skipped any expressions, the server discards the result or error of the
function, compiles the skipped expressions, and calls the function again.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from fakeapi.machinery.cel.limits import EVENT_LOOP_CHARACTERS_MAX

Result = TypeVar("Result")

_current: ContextVar["Deferral | None"] = ContextVar("deferral", default=None)


def current() -> "Deferral | None":
    """Returns the `Deferral` of the current context; None outside of a deferral."""
    return _current.get()


class Deferral:
    """Collects expressions whose compilation is deferred, and keeps their verdicts after compilation."""

    def __init__(self) -> None:
        self._spent = 0
        self._verdicts: dict[tuple[Callable[[str], Any], str], Any] = {}
        self._pending: dict[tuple[Callable[[str], Any], str], None] = {}

    def run(self, step: Callable[[], Result]) -> Result:
        """Calls `step` within this deferral and returns its result.

        Discard the result if `is_pending` is True after the call.
        """
        self._spent = 0
        token = _current.set(self)
        try:
            return step()
        finally:
            _current.reset(token)

    def verdict(self, compile_: Callable[[str], Any], text: str) -> Any:
        """Returns the verdict of `compile_` on an expression; None if the compilation is deferred."""
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
        """Whether some deferred expressions are not compiled yet.

        If so, the result or error of `run` is not valid.
        """
        return bool(self._pending)

    def compile_next(self) -> None:
        """Compiles the next deferred expression. Any thread may call this method.

        Call the method only while `is_pending` is True.
        """
        key = next(iter(self._pending))
        compile_, text = key
        self._verdicts[key] = compile_(text)
        del self._pending[key]
