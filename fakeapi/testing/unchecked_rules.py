"""Warns a test about CEL expressions that the server stored without checking them.

A fakeapi server names such expressions in Warning headers, because the extra `cel` is not installed or the
expression uses a function that fakeapi cannot evaluate.
"""

import warnings
from collections.abc import Iterable

from fakeapi.machinery.lazy_pattern import lazy_pattern
from fakeapi.testing.caller import stack_level

_HEADER = lazy_pattern(r'\d{3} \S+ "(fakeapi (?:did|does) not (?:check|ask) (?:[^"\\]|\\.)*)"')
_ESCAPED = lazy_pattern(r"\\(.)")

_WARNED_MAX = 100
"""Maximum number of texts that a process remembers; then it forgets all, and warns about them again."""

_warned: set[str] = set()


class UncheckedRuleWarning(UserWarning):
    """Warning of a test: the server did not check or evaluate a CEL expression, so writes against it succeed.

    Each text is a warning once per process, unless a filter turns the warning into an error.
    """


def texts_of(headers: Iterable[str]) -> list[str]:
    """Returns the texts of Warning headers about CEL expressions that the server does not check."""
    return [_ESCAPED.sub(r"\1", text) for header in headers for text in _HEADER.findall(header)]


def warn_of_headers(headers: Iterable[str], request: str) -> None:
    """Issues an UncheckedRuleWarning for each new text of Warning headers, at the line of the test.

    `request`: the verb and object of the request, such as "create deviceclasses gpu".
    """
    for text in texts_of(headers):
        if text in _warned:
            continue
        warnings.warn(f"{request}: {text}", UncheckedRuleWarning, stack_level())
        if len(_warned) >= _WARNED_MAX:
            _warned.clear()
        _warned.add(text)
