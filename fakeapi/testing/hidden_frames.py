"""Hides the library's own frames in pytest's tracebacks of expected errors."""

from typing import Protocol

from fakeapi.machinery.base_error import FakeAPIError


class _ExceptionInfo(Protocol):
    """The part of pytest's ExceptionInfo that decides whether a frame is hidden."""

    def errisinstance(self, exc: type[BaseException] | tuple[type[BaseException], ...]) -> bool: ...


def hides_expected_errors(info: _ExceptionInfo) -> bool:
    """Whether pytest hides the frames of a module: for errors that tell the user what is wrong.

    A module uses it as `__tracebackhide__ = hides_expected_errors`. Other errors show all frames, because
    they are defects of the library.
    """
    return info.errisinstance((FakeAPIError, TypeError, ValueError, AttributeError, AssertionError, OSError))
