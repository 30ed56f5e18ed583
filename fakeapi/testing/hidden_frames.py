"""Hides frames of fakeapi's own code in pytest's tracebacks of expected errors."""

from typing import Protocol

from fakeapi.machinery.base_error import FakeAPIError


class _ExceptionInfo(Protocol):
    """The attributes of pytest's ExceptionInfo that decide whether a frame is hidden."""

    def errisinstance(self, exc: type[BaseException] | tuple[type[BaseException], ...]) -> bool: ...


def hides_expected_errors(info: _ExceptionInfo) -> bool:
    """Whether pytest hides the frames of a module in the traceback of an error.

    A module sets `__tracebackhide__ = hides_expected_errors`. Hides frames only for types of errors that
    usually explain a mistake of the user. Other errors are defects of fakeapi, so pytest shows all frames.
    """
    return info.errisinstance((FakeAPIError, TypeError, ValueError, AttributeError, AssertionError, OSError))
