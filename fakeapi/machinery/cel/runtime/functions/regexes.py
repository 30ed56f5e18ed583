"""CEL functions with regular expressions, which cel-expr-python evaluates with RE2 in linear time.

Follows cel-go `common/types/string.go` and k8s.io/apiserver `pkg/cel/library/regex.go`.
"""

import re
from collections.abc import Callable
from typing import Any

from fakeapi.machinery.cel import library
from fakeapi.machinery.cel.literals import regex_fault
from fakeapi.machinery.cel.runtime.values import NO_OVERLOAD, Err, Items
from fakeapi.machinery.lazy_pattern import lazy_pattern

_GROUP = lazy_pattern(
    r"\\Q.*?(?:\\E|\Z)|\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|\(\?P?<\w+>|\((?!\?)", re.DOTALL
)


def _matches(text: Any, pattern: Any) -> Any:
    if type(text) is not str or type(pattern) is not str:
        return NO_OVERLOAD
    fault = regex_fault(pattern)
    return Err(fault) if fault else library.matches(text, pattern)


def _without_groups(pattern: str) -> str:
    """Makes all capturing groups of a pattern non-capturing."""
    return _GROUP.sub(lambda match: "(?:" if match[0].startswith("(") else match[0], pattern)


def _found(text: str, pattern: str) -> Any:
    fault = regex_fault(pattern)
    if fault:
        return Err(f"Illegal regex: {fault}")
    return library.found_all(text, f"({_without_groups(pattern)})")


def _find(text: str, pattern: str) -> Any:
    matches = _found(text, pattern)
    return matches if type(matches) is Err else (matches[0] if matches else "")


def _find_all(text: str, pattern: str, most: int = -1) -> Any:
    matches = _found(text, pattern)
    if type(matches) is Err:
        return matches
    return Items(matches if most < 0 else matches[:most])


SINGLETONS: dict[str, Callable[..., Any]] = {"matches": _matches}

OVERLOADS: dict[str, Callable[..., Any]] = {
    "string_find_string": _find,
    "string_find_all_string": _find_all,
    "string_find_all_string_int": _find_all,
}
